import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { join, sep } from "node:path"
import { parseSync } from "oxc-parser"

/** Declarations that are longer than this, in characters, are not written out: nobody would read them. */
const declarationLengthMax = 12_000
/** What is inferred from the HTTP contract is long, and its OpenAPI document tells it better. */
const inferredLengthMax = 4_000

const extension = ".d.ts"

/** The modules of a package that others can import, by their path; what an earlier build left behind is none. */
const modulesOf = async (folder) => {
  const files = await readdir(join(folder, "dist"), { recursive: true })
  return files
    .filter((file) => file.endsWith(extension) && !file.startsWith(`internal${sep}`))
    .map((file) => file.slice(0, -extension.length))
    .filter((file) => existsSync(join(folder, "src", `${file}.ts`)))
    .map((file) => file.split(sep).join("/"))
    .sort()
}

const within = (node, { end, start }) => start >= node.start && end <= node.end

/** The text of a node without its comments, and without the lines that held nothing else. */
const withoutComments = (source, node, comments) => {
  let text = ""
  let from = node.start
  for (const comment of comments.filter((one) => within(node, one))) {
    text += source.slice(from, comment.start)
    from = comment.end
  }
  return `${text}${source.slice(from, node.end)}`.replace(/^[ \t]*\r?\n/gm, "").replace(/[ \t]+$/gm, "")
}

/** What stands for a declaration that is too long. */
const shortened = (text) => {
  const isInferred = text.includes("HttpApi")
  if (text.length <= (isInferred ? inferredLengthMax : declarationLengthMax)) return text
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 16)
  const rest = isInferred ? "inferred from the HTTP contract; see openapi.json" : `sha256 ${digest}`
  return `${/^[^:=]*/.exec(text)[0]}: /* ${rest} */`
}

const namesOf = (statement) => {
  const { declaration, exported, id, specifiers } = statement
  if (declaration) return namesOf(declaration)
  if (statement.declarations) return statement.declarations.map((one) => one.id.name)
  if (specifiers) return specifiers.map((one) => one.exported.name)
  return [exported?.name ?? id?.name ?? "*"]
}

/** The words of the docstring right before a node; undefined where there is none. */
const docOf = (source, node, comments) => {
  const comment = comments.findLast(({ end }) => end <= node.start)
  if (comment?.type !== "Block" || !comment.value.startsWith("*")) return undefined
  if (source.slice(comment.end, node.start).trim() !== "") return undefined
  return comment.value
    .slice(1)
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, "").trimEnd())
    .join("\n")
    .trim()
}

const readModule = async (folder, name) => {
  const file = join(folder, "dist", `${name}${extension}`)
  const source = await readFile(file, "utf8")
  const { comments, errors, program } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`)
  const declarations = program.body
    .map((node) => ({
      exported: node.type.startsWith("Export"),
      isImport: node.type === "ImportDeclaration",
      names: node.type === "ImportDeclaration" ? [] : namesOf(node),
      text: shortened(withoutComments(source, node, comments)),
      doc: docOf(source, node, comments)
    }))
    // what tsc writes into a module that exports something else as well
    .filter(({ text }) => text !== "export {};")
  return { name, declarations }
}

/** How a module of a package is imported; undefined where that is not possible, and entry points offer what it declares. */
export const importPath = ({ exports, name }, module) => {
  if (module === "index") return name
  return exports["./*"] !== undefined || exports[`./${module}`] !== undefined ? `${name}/${module}` : undefined
}

/** What the modules of a built package declare, in the order of their paths. */
export const declarationsOf = async (folder) => {
  const names = await modulesOf(folder)
  return Promise.all(names.map((name) => readModule(folder, name)))
}
