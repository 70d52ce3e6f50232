import { ImportError } from "./ImportedStatement.ts"

/** An element of an XML document: its local name, its attributes, its own text, and the elements in it. */
export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly text: string
  readonly children: ReadonlyArray<Element>
  /** The line of the file at which it begins. */
  readonly line: number
}

/** The elements at a path of names. */
export const elementsAt = (element: Element, ...path: ReadonlyArray<string>): ReadonlyArray<Element> => {
  const [name, ...rest] = path
  if (name === undefined) return [element]
  return element.children.filter((child) => child.name === name).flatMap((child) => elementsAt(child, ...rest))
}

/** The first element at a path. */
export const elementAt = (element: Element, ...path: ReadonlyArray<string>): Element | undefined =>
  elementsAt(element, ...path)[0]

/** The text at a path; undefined where there is none. */
export const textAt = (element: Element, ...path: ReadonlyArray<string>): string | undefined => {
  const text = elementAt(element, ...path)?.text.trim()
  return text === "" ? undefined : text
}

/** Refuses a file for an element of it. Throws ImportError. */
export const fail = (detail: string, { line }: Pick<Element, "line">): never => {
  throw new ImportError({ detail, where: `line ${line}` })
}
