// Writes src/protocol.generated.ts from the server's own models: `npm run generate`.
// With `--check` it only compares, and exits 1 where the file is out of date.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { compile } from "json-schema-to-typescript";
import { format } from "prettier";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const target = fileURLToPath(new URL("../src/protocol.generated.ts", import.meta.url));
const virtual = `${root}/.venv/bin/python`;

export const python = process.env.ENSEMBLE_PYTHON ?? (existsSync(virtual) ? virtual : "python3");

/** Name of a definition that a `$ref` points to. */
function nameOf(reference) {
  return reference.$ref.split("/").at(-1);
}

function reachable(schema, roots) {
  const found = new Set();
  const visit = (node) => {
    if (Array.isArray(node)) node.forEach(visit);
    else if (node !== null && typeof node === "object") {
      if (typeof node.$ref === "string") {
        const name = nameOf(node);
        if (!found.has(name)) {
          found.add(name);
          visit(schema.$defs[name]);
        }
      }
      Object.values(node).forEach(visit);
    }
  };
  visit(roots);
  return found;
}

/**
 * What a client sends may leave out whatever has a default. What the server sends always has it, except
 * what is null: that is left out on the wire.
 */
function asSent(schema) {
  const messages = Object.values(schema.messages);
  const given = [
    ...Object.values(schema.commands).map((command) => command.argument),
    ...messages.filter((each) => each.direction.startsWith("client")).map((each) => each.params),
    ...messages.filter((each) => each.direction.startsWith("server")).map((each) => each.result),
  ];
  const fromClient = reachable(schema, given);
  const definitions = structuredClone(schema.$defs);
  for (const [name, definition] of Object.entries(definitions)) {
    definition.title = name;
    if (definition.type !== "object") continue;
    definition.additionalProperties ??= false;
    const required = new Set(definition.required ?? []);
    for (const [key, property] of Object.entries(definition.properties ?? {})) {
      if (!fromClient.has(name) && "default" in property && property.default !== null) required.add(key);
      if (property.const !== undefined) required.add(key);
      const nullable = property.anyOf?.some((each) => each.type === "null");
      if (nullable && !required.has(key)) {
        property.anyOf = property.anyOf.filter((each) => each.type !== "null");
      }
      delete property.title;
      delete property.default;
      delete property.maxItems;
      delete property.minItems;
    }
    definition.required = [...required];
  }
  return definitions;
}

function tables(schema) {
  const commands = Object.entries(schema.commands).map(
    ([name, { argument, answer }]) =>
      `  "${name}": { argument: ${nameOf(argument)}; answer: ${nameOf(answer)} };`,
  );
  const requests = Object.entries(schema.messages)
    .filter(([, each]) => each.direction.startsWith("client") && each.kind === "request")
    .map(
      ([name, each]) => `  "${name}": { params: ${nameOf(each.params)}; result: ${nameOf(each.result)} };`,
    );
  const union = (values) => values.map((each) => JSON.stringify(each)).join(" | ");
  return [
    "/** Commands of `workspace/executeCommand`. */",
    `export interface Commands {\n${commands.join("\n")}\n}`,
    "/** Requests that the client sends. */",
    `export interface Requests {\n${requests.join("\n")}\n}`,
    "/** `ensemble/event`. */",
    `export type JobEvent = ${Object.values(schema.events).map(nameOf).join(" | ")};`,
    `export const PROTOCOL_VERSION = ${schema.version};`,
    `export const ACTIONS = ${JSON.stringify(schema.actions)} as const;`,
    `export const CODE_ACTION_KINDS = ${JSON.stringify(schema.codeActionKinds)} as const;`,
    `export const COMMAND_NAMES = ${JSON.stringify(Object.keys(schema.commands))} as const;`,
    `export type CommandName = ${union(Object.keys(schema.commands))};`,
  ].join("\n\n");
}

/** The text that src/protocol.generated.ts should have. */
export async function generated() {
  const printed = execFileSync(python, ["-P", "-m", "ensemble_lsp.lsp.schema"], { encoding: "utf8" });
  const schema = JSON.parse(printed);
  const definitions = asSent(schema);
  const references = Object.keys(definitions).map((name) => ({ $ref: `#/$defs/${name}` }));
  const types = await compile({ title: "AnyMessage", oneOf: references, $defs: definitions }, "AnyMessage", {
    additionalProperties: false,
    bannerComment: "// Written by `npm run generate` from the server's models; a test keeps it current.",
    enableConstEnums: false,
    format: false,
    strictIndexSignatures: true,
    unknownAny: true,
  });
  return format(`${types}\n${tables(schema)}\n`, { parser: "typescript", printWidth: 110 });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = await generated();
  if (!process.argv.includes("--check")) writeFileSync(target, text);
  else if (readFileSync(target, "utf8") !== text) {
    process.stderr.write("src/protocol.generated.ts is out of date: npm run generate\n");
    process.exit(1);
  }
}
