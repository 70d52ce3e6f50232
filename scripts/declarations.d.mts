/** One statement of a module's declarations. */
export interface Declaration {
  readonly exported: boolean
  readonly isImport: boolean
  readonly names: ReadonlyArray<string>
  /** Without comments; shortened where it is too long to be read. */
  readonly text: string
  readonly doc: string | undefined
}

/** A module that others can import. */
export interface DeclaredModule {
  /** Its path in the package, without extension: `money/Amount`. */
  readonly name: string
  readonly declarations: ReadonlyArray<Declaration>
}

/** What the modules of a built package declare, in the order of their paths. */
export declare const declarationsOf: (folder: string) => Promise<ReadonlyArray<DeclaredModule>>

/** How a module of a package is imported; undefined where entry points alone offer what it declares. */
export declare const importPath: (
  manifest: { readonly name: string; readonly exports: Readonly<Record<string, string | null>> },
  module: string
) => string | undefined
