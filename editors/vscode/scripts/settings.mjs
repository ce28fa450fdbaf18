// Writes the settings of package.json from the server's settings model: `npm run generate`.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format } from "prettier";
import { python } from "./protocol.mjs";

const target = fileURLToPath(new URL("../package.json", import.meta.url));

/** Settings of the extension itself; the server does not know them. */
const OWN = {
  "ensemble.server.path": {
    type: "string",
    default: "",
    scope: "machine",
    order: 0,
    markdownDescription: "%settings.server.path%",
  },
  "ensemble.trace.server": {
    type: "string",
    enum: ["off", "messages", "verbose"],
    default: "off",
    scope: "window",
    order: 1,
    markdownDescription: "%settings.trace.server%",
  },
  "ensemble.review.open": {
    type: "string",
    enum: ["whenIdle", "always", "never"],
    enumDescriptions: [
      "%settings.review.open.whenIdle%",
      "%settings.review.open.always%",
      "%settings.review.open.never%",
    ],
    default: "whenIdle",
    scope: "window",
    order: 2,
    markdownDescription: "%settings.review.open%",
  },
  "ensemble.live.open": {
    type: "string",
    enum: ["debate", "always", "never"],
    enumDescriptions: [
      "%settings.live.open.debate%",
      "%settings.live.open.always%",
      "%settings.live.open.never%",
    ],
    default: "debate",
    scope: "window",
    order: 3,
    markdownDescription: "%settings.live.open%",
  },
  "ensemble.documents.open": {
    type: "string",
    enum: ["preview", "source"],
    enumDescriptions: ["%settings.documents.open.preview%", "%settings.documents.open.source%"],
    default: "preview",
    scope: "window",
    order: 4,
    markdownDescription: "%settings.documents.open%",
  },
};

const camel = (key) => key.replaceAll(/_([a-z])/g, (_, letter) => letter.toUpperCase());

/** A property as VS Code's settings take it: no `$ref`, no null beside one other type, camelCase keys. */
function plain(node, definitions) {
  if (node.$ref) return { ...plain(definitions[node.$ref.split("/").at(-1)], definitions), ...rest(node) };
  if (node.anyOf) {
    const [only, ...more] = node.anyOf.filter((each) => each.type !== "null");
    if (more.length === 0) return { ...plain(only, definitions), ...rest(node) };
  }
  const result = {};
  for (const [key, value] of Object.entries(node)) {
    if (key === "title" || key === "format" || (key === "default" && value === null)) continue;
    if (key === "properties") {
      result.properties = Object.fromEntries(
        Object.entries(value).map(([name, property]) => [camel(name), plain(property, definitions)]),
      );
    } else if (key === "items") result.items = plain(value, definitions);
    else if (key === "required") result.required = value.map(camel);
    else result[key] = value;
  }
  return result;
}

function rest(node) {
  const kept = {};
  if ("description" in node) kept.description = node.description;
  if (node.default !== undefined && node.default !== null) kept.default = node.default;
  return kept;
}

function isTable(node, definitions) {
  return node.$ref !== undefined && definitions[node.$ref.split("/").at(-1)].type === "object";
}

function* properties(schema, definitions, prefix = "") {
  for (const [name, node] of Object.entries(schema.properties)) {
    const key = `${prefix}${camel(name)}`;
    if (isTable(node, definitions)) {
      yield* properties(definitions[node.$ref.split("/").at(-1)], definitions, `${key}.`);
      continue;
    }
    const property = plain(node, definitions);
    if (name === "panel") {
      // A model string alone is a whole member.
      property.items = { anyOf: [{ type: "string" }, property.items] };
    }
    const { description = "", ...others } = property;
    yield [`ensemble.${key}`, { ...others, scope: "window", order: 10, markdownDescription: description }];
  }
}

/** What package.json should say: the settings, and those that a folder's own word needs trust for. */
export function settings() {
  const printed = execFileSync(python, ["-P", "-m", "ensemble_lsp.settings_schema"], { encoding: "utf8" });
  const { schema, restricted } = JSON.parse(printed);
  const found = Object.fromEntries(properties(schema, schema.$defs));
  const isRestricted = (key) =>
    restricted.map(camel).some((each) => key === `ensemble.${each}` || key.startsWith(`ensemble.${each}.`));
  return {
    properties: { ...OWN, ...found },
    // The person's own choice of what to start and to trace is nobody else's.
    restricted: ["ensemble.server.path", ...Object.keys(found).filter(isRestricted)],
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const manifest = JSON.parse(readFileSync(target, "utf8"));
  const { properties: found, restricted } = settings();
  manifest.contributes.configuration.properties = found;
  manifest.capabilities.untrustedWorkspaces.restrictedConfigurations = restricted;
  writeFileSync(target, await format(JSON.stringify(manifest), { parser: "json", printWidth: 110 }));
}
