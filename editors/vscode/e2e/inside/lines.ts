/** Begins each line that the tests in the extension host print: it comes out amid the workbench's own log. */
export const MARK = "inside: ";
