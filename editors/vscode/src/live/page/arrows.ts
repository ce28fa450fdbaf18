/** Critiques drawn between lanes: an arrow from who attacked to whose answer it was. */
import type { Critique } from "../state.js";
import { svg } from "./elements.js";

/** Arrows that are drawn at most: the newest. More could not be told apart; the lanes list them all. */
export const DRAWN = 24;

/** Height of the band above each row of lanes, in pixels: .lanes.attacked in page.css has the same. */
const BAND = 46;

/** Ways beside the lanes for arrows from one row to another, and the pixels between two of them. */
const WAYS = 4;
const APART = 4;

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

interface End {
  x: number;
  readonly critique: number;
  readonly towards: number;
}

export class Arrows {
  readonly root = svg("svg", { class: "arrows", "aria-hidden": "true" });

  /** Draw anew; reads the layout, so it is called when lanes were resized or a critique came, not in each frame. */
  draw(
    critiques: readonly Critique[],
    lanes: ReadonlyMap<string, HTMLElement>,
    container: HTMLElement,
  ): void {
    const frame = container.getBoundingClientRect();
    const boxes = new Map<string, Box>();
    for (const [member, lane] of lanes) {
      const box = lane.getBoundingClientRect();
      boxes.set(member, {
        left: box.left - frame.left,
        top: box.top - frame.top,
        width: box.width,
        height: box.height,
      });
    }
    const rows = new Set([...boxes.values()].map((box) => Math.round(box.top / 8)));
    container.classList.toggle("rows", rows.size > 1);
    this.root.setAttribute("width", String(container.scrollWidth));
    this.root.setAttribute("height", String(container.scrollHeight));
    const drawn = arrows(critiques, boxes);
    // Numbers over all lines, so that none is crossed out.
    this.root.replaceChildren(
      markers(),
      ...drawn.map((arrow) => arrow.line),
      ...drawn.map((arrow) => arrow.label),
    );
  }

  /** Make those of one lane stand out; undefined for all alike. */
  highlight(member: string | undefined): void {
    for (const arrow of this.root.querySelectorAll<SVGGElement>(".arrow")) {
      const concerns = arrow.dataset["from"] === member || arrow.dataset["to"] === member;
      arrow.classList.toggle("faded", member !== undefined && !concerns);
    }
  }
}

interface Arrow {
  readonly line: SVGGElement;
  readonly label: SVGGElement;
}

function arrows(critiques: readonly Critique[], boxes: ReadonlyMap<string, Box>): Arrow[] {
  const pairs = critiques
    .slice(-DRAWN)
    .flatMap((critique) => critique.against.map((to) => ({ critique, from: critique.from, to })))
    .filter(({ from, to }) => from !== to && boxes.has(from) && boxes.has(to))
    .slice(-DRAWN);
  const places = spread(pairs, boxes);
  return pairs.flatMap(({ critique, from, to }, place) => {
    const { start, end } = places[place] ?? { start: 0, end: 0 };
    const [one, other] = [boxes.get(from), boxes.get(to)];
    if (one === undefined || other === undefined) return [];
    const kind = critique.broke ? "arrow broke" : "arrow";
    const [line, label] = [svg("g", { class: kind }), svg("g", { class: kind })];
    for (const part of [line, label]) Object.assign(part.dataset, { from, to });
    const tip = critique.broke ? "url(#tip-broke)" : "url(#tip)";
    line.append(svg("path", { d: way(one, other, start, end, place), "marker-end": tip }));
    const y = other.top - 19;
    const text = svg("text", { x: end, y: y + 3.5, "text-anchor": "middle" });
    text.textContent = String(critique.number);
    label.append(svg("circle", { cx: end, cy: y, r: 8 }), text);
    return [{ line, label }];
  });
}

/** Give every arrow a place of its own along the upper edges of its two lanes. */
function spread(
  pairs: readonly { readonly from: string; readonly to: string }[],
  boxes: ReadonlyMap<string, Box>,
): { start: number; end: number }[] {
  const middle = (box: Box | undefined) => (box === undefined ? 0 : box.left + box.width / 2);
  const ends = new Map<string, End[]>();
  const starts: End[] = [];
  const finishes: End[] = [];
  for (const [number, { from, to }] of pairs.entries()) {
    const start = { x: 0, critique: number, towards: middle(boxes.get(to)) };
    const finish = { x: 0, critique: number, towards: middle(boxes.get(from)) };
    starts.push(start);
    finishes.push(finish);
    ends.set(from, [...(ends.get(from) ?? []), start]);
    ends.set(to, [...(ends.get(to) ?? []), finish]);
  }
  for (const [member, list] of ends) {
    const box = boxes.get(member);
    if (box === undefined) continue;
    list.sort((one, other) => one.towards - other.towards || one.critique - other.critique);
    const room = box.width - 32;
    const step = Math.min(26, room / Math.max(1, list.length - 1));
    const first = box.left + box.width / 2 - (step * (list.length - 1)) / 2;
    for (const [place, end] of list.entries()) end.x = first + place * step;
  }
  return pairs.map((_, number) => ({ start: starts[number]?.x ?? 0, end: finishes[number]?.x ?? 0 }));
}

/** The way from one lane's upper edge to another's: through the bands above the rows, never across a lane. */
function way(from: Box, to: Box, start: number, end: number, number: number): string {
  const tip = to.top - 2;
  if (sameRow(from, to)) {
    const rise = Math.min(BAND, 30 + Math.abs(end - start) / 40);
    return `M ${start} ${from.top} C ${start} ${from.top - rise}, ${end} ${to.top - rise - 8}, ${end} ${tip}`;
  }
  const shift = (number % WAYS) * APART;
  const beside = 2 + shift;
  const [leaves, arrives] = [from.top - 10 - shift, to.top - 30 - shift];
  return rounded([
    [start, from.top],
    [start, leaves],
    [beside, leaves],
    [beside, arrives],
    [end, arrives],
    [end, tip],
  ]);
}

export function sameRow(one: { readonly top: number }, other: { readonly top: number }): boolean {
  return Math.abs(one.top - other.top) < 4;
}

/** A line through points that turns its corners in small arcs. */
function rounded(points: readonly (readonly [number, number])[]): string {
  const radius = 5;
  const towards = (from: readonly [number, number], to: readonly [number, number]) => {
    const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
    const share = length === 0 ? 0 : Math.min(radius, length / 2) / length;
    return `${from[0] + (to[0] - from[0]) * share} ${from[1] + (to[1] - from[1]) * share}`;
  };
  return points
    .map((point, place) => {
      const [before, after] = [points[place - 1], points[place + 1]];
      if (before === undefined) return `M ${point[0]} ${point[1]}`;
      if (after === undefined) return `L ${point[0]} ${point[1]}`;
      return `L ${towards(point, before)} Q ${point[0]} ${point[1]} ${towards(point, after)}`;
    })
    .join(" ");
}

function markers(): SVGDefsElement {
  const definitions = svg("defs", {});
  for (const id of ["tip", "tip-broke"]) {
    const marker = svg("marker", {
      id,
      viewBox: "0 0 10 10",
      refX: 8,
      refY: 5,
      markerWidth: 6,
      markerHeight: 6,
      orient: "auto",
    });
    marker.append(svg("path", { d: "M 0 0 L 10 5 L 0 10 z" }));
    definitions.append(marker);
  }
  return definitions;
}
