/** As much of VS Code as a tree of diagnostics needs. */
import type { Diagnostic, TreeDataProvider } from "vscode";
import { Emitter } from "../../src/emitter.js";

interface Item {
  readonly id: string;
}

/** A tree that is looked through as the editor does it: up from the node, with time between two questions. */
export class FakeTree {
  readonly revealed: Item[] = [];
  refused = 0;
  /** What happens while a node is looked for. */
  meanwhile: () => void = () => undefined;

  constructor(private readonly provider: TreeDataProvider<unknown>) {}

  async reveal(node: Item): Promise<void> {
    this.meanwhile();
    await Promise.resolve();
    const parent = this.provider.getParent?.(node);
    const children = parent === undefined ? [] : ((await this.provider.getChildren(parent)) ?? []);
    if (!children.some((child) => (child as Item).id === node.id)) {
      this.refused += 1;
      throw new Error(`Cannot resolve tree item for element ${node.id}`);
    }
    this.revealed.push(node);
  }
}

export class FakeTreeEditor {
  diagnostics: Diagnostic[] = [];
  readonly changed = new Emitter<undefined>();
  readonly commands: unknown[][] = [];
  private shown: FakeTree | undefined;

  reset(): void {
    this.changed.dispose();
    this.commands.length = 0;
    this.diagnostics = [];
  }

  tree(): FakeTree {
    if (this.shown === undefined) throw new Error("there is no view");
    return this.shown;
  }

  /** The module `vscode`. */
  readonly module = {
    EventEmitter: Emitter,
    ThemeIcon: Object,
    ThemeColor: Object,
    DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
    l10n: { t: (text: string) => text },
    commands: { executeCommand: (...words: unknown[]) => Promise.resolve(this.commands.push(words)) },
    languages: {
      getDiagnostics: () => [["file:///shop/cart.py", this.diagnostics]],
      onDidChangeDiagnostics: this.changed.event,
    },
    window: {
      createTreeView: (_view: string, options: { treeDataProvider: TreeDataProvider<unknown> }) => {
        this.shown = new FakeTree(options.treeDataProvider);
        return this.shown;
      },
    },
  };
}
