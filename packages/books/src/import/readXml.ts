import { SaxesParser } from "saxes"
import type { Element } from "./Element.ts"
import { ImportError } from "./ImportedStatement.ts"

/** Elements stand in each other so deep at most. */
const depthMax = 40

/** The longest text of an element, in characters. */
const textMax = 20_000

/** The most elements that are kept at once: those of an entry, without what was handed over of it. */
const elementsMax = 50_000

interface Open {
  readonly name: string
  readonly uri: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: Array<Element>
  readonly line: number
  /** How many elements were kept before it. */
  readonly before: number
  /** Whether an element stood in it, kept or taken. */
  hasElements: boolean
  text: string
}

/** What is wanted of a document. */
export interface XmlReading {
  /** Called at each element that begins, with the names from the root to it and its namespace. */
  readonly open: (path: ReadonlyArray<string>, namespace: string) => void
  /**
   * Called at each element that ends, with what stands before it in the element around it. Whoever takes it (`true`) is handed it whole,
   * and it is forgotten there.
   */
  readonly take: (path: ReadonlyArray<string>, element: Element, before: ReadonlyArray<Element>) => boolean
}

/** So much is handed to the parser at once. */
const chunkChars = 65_536

/**
 * Reads an XML document from its beginning to its end, and keeps nothing but what is open. A document with a type definition is refused:
 * with it come entities, which can make a small file large or read other files. Throws ImportError.
 */
export const readXml = (text: string, { open, take }: XmlReading): void => {
  const parser = new SaxesParser({ xmlns: true, position: true })
  const stack: Array<Open> = []
  let elements = 0
  const fail = (detail: string): never => {
    throw new ImportError({ detail, where: `line ${parser.line}` })
  }
  parser.on("error", ({ message }) => fail(`it is not well-formed XML: ${message.replace(/^\d+:\d+: /u, "")}`))
  parser.on("doctype", () => fail("it has a document type definition, which no statement has"))
  parser.on("opentag", ({ attributes, local, uri }) => {
    if (stack.length >= depthMax) fail(`elements stand in each other deeper than ${depthMax}`)
    const before = elements
    elements += 1
    if (elements > elementsMax) fail(`an entry, or what stands beside entries, has more than ${elementsMax} elements`)
    stack.push({
      name: local,
      uri,
      attributes: Object.fromEntries(Object.values(attributes).map((one) => [one.local, one.value])),
      children: [],
      line: parser.line,
      before,
      hasElements: false,
      text: ""
    })
    open(
      stack.map(({ name }) => name),
      uri
    )
  })
  const addText = (more: string) => {
    const top = stack.at(-1)
    // what stands between elements, as indents, is no text of the element around them, however many there are
    if (top === undefined || (top.hasElements && more.trim() === "")) return
    if (top.text.length + more.length > textMax) fail(`a text is longer than ${textMax} characters`)
    top.text += more
  }
  parser.on("text", addText)
  parser.on("cdata", addText)
  parser.on("closetag", () => {
    const path = stack.map(({ name }) => name)
    const ended = stack.pop()
    if (ended === undefined) return
    const { attributes, before, children, line, name, text: own } = ended
    const element: Element = { name, attributes, children, line, text: own }
    const around = stack.at(-1)
    if (around !== undefined) around.hasElements = true
    if (take(path, element, around?.children ?? [])) elements = before
    else around?.children.push(element)
  })
  for (let at = 0; at < text.length; at += chunkChars) parser.write(text.slice(at, at + chunkChars))
  parser.close()
}
