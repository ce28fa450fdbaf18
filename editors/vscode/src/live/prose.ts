/**
 * A model's answer as a person reads it, while it is written. Answers in JSON lose their braces and quotes: each
 * value stands on a line behind its name, empty ones are left out. Everything else passes as it is.
 */

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "    ", r: "", b: "", f: "" };

export class Prose {
  private mode: "undecided" | "plain" | "json" = "undecided";
  private held = "";
  private inString = false;
  private escaped: string | undefined;
  /** Whether the next string is the name of a value: in objects yes, in arrays no. */
  private readonly levels: ("object" | "array")[] = [];
  private isName = false;
  private name = "";
  /** The name was written, because its value is not empty. */
  private named = true;
  private written = false;
  /** An object or a list just ended: the comma that follows separates nothing that a person reads. */
  private closed = false;

  /** Take the next characters and return what they add to the text. */
  add(text: string): string {
    if (this.mode === "plain") return text;
    if (this.mode === "undecided") {
      this.held += text;
      const first = this.held.trimStart();
      if (first === "") return "";
      this.mode = first.startsWith("{") ? "json" : "plain";
      const all = this.mode === "json" ? first : this.held;
      this.held = "";
      return this.add(all);
    }
    let out = "";
    for (const character of text) out += this.inString ? this.quoted(character) : this.between(character);
    return out;
  }

  private between(character: string): string {
    const closed = this.closed;
    if (character.trim() !== "") this.closed = character === "}" || character === "]";
    switch (character) {
      case "{":
      case "[":
        this.levels.push(character === "{" ? "object" : "array");
        this.isName = character === "{";
        return character === "{" && this.levels.length > 1 && this.written ? "\n" : "";
      case "}":
      case "]":
        this.levels.pop();
        return "";
      case '"':
        this.inString = true;
        if (this.isName) {
          this.name = "";
          this.named = false;
        }
        return "";
      case ":":
        this.isName = false;
        return "";
      case ",":
        this.isName = this.levels.at(-1) === "object";
        return this.isName || !this.named || closed ? "" : "; ";
      default:
        return /\s/.test(character) ? "" : this.value(character);
    }
  }

  private quoted(character: string): string {
    if (this.escaped !== undefined) return this.unescaped(this.escaped + character);
    if (character === "\\") {
      this.escaped = "";
      return "";
    }
    if (character === '"') {
      this.inString = false;
      return "";
    }
    return this.isName ? this.spell(character) : this.value(character);
  }

  private unescaped(sequence: string): string {
    if (sequence.startsWith("u") && sequence.length < 5) {
      this.escaped = sequence;
      return "";
    }
    this.escaped = undefined;
    const character = sequence.startsWith("u")
      ? String.fromCharCode(Number.parseInt(sequence.slice(1), 16) || 0xfffd)
      : (ESCAPES[sequence] ?? sequence);
    return this.isName ? this.spell(character) : this.value(character);
  }

  private spell(character: string): string {
    this.name += character === "_" ? " " : character;
    return "";
  }

  private value(characters: string): string {
    if (this.named) return characters;
    this.named = true;
    const line = `${this.written ? "\n" : ""}${this.name}: ${characters}`;
    this.written = true;
    return line;
  }
}
