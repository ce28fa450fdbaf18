/**
 * What a member writes, as it comes. Long texts stand in blocks, so that the browser lays out only the last one anew
 * when something is added; the first ones go when there are too many.
 */
import { Prose } from "../prose.js";
import type { Piece } from "../lanes.js";
import { element } from "./elements.js";

/** Characters after which a block ends with its line. */
const BLOCK = 600;

/** Characters after which a block ends inside its line. */
const LONGEST = 2_000;

/** Blocks that are kept of one piece. */
const BLOCKS = 12;

export class PieceView {
  readonly root = element("section", "piece");
  private readonly prose = new Prose();
  private last = this.block();
  private blocks = [this.last];
  /** Characters of the piece that were read, those with it that are no longer kept. */
  private read = 0;

  constructor(title: string) {
    this.root.append(element("h3", "", title), this.last.block);
  }

  update(piece: Piece): void {
    const end = piece.dropped + piece.text.length;
    if (end === this.read) return;
    if (piece.dropped > this.read) this.root.classList.add("omitted");
    this.add(this.prose.add(piece.text.slice(Math.max(0, this.read - piece.dropped))));
    this.read = end;
  }

  private add(text: string): void {
    let rest = text;
    while (rest !== "") {
      const room = BLOCK - this.last.text.length;
      const line = rest.indexOf("\n", Math.max(0, room));
      const end = line >= 0 ? line : this.last.text.length + rest.length > LONGEST ? Math.max(0, room) : -1;
      if (end < 0) {
        this.last.text.appendData(rest);
        return;
      }
      this.last.text.appendData(rest.slice(0, end));
      // The line's end is the block's.
      rest = rest.slice(line >= 0 ? end + 1 : end);
      this.open();
    }
  }

  private open(): void {
    this.last = this.block();
    this.blocks.push(this.last);
    this.root.append(this.last.block);
    if (this.blocks.length > BLOCKS) {
      this.blocks.shift()?.block.remove();
      this.root.classList.add("omitted");
    }
  }

  private block(): { readonly block: HTMLElement; readonly text: Text } {
    const text = document.createTextNode("");
    const block = element("pre");
    block.append(text);
    return { block, text };
  }
}
