import { importPath } from "../declarations.mjs"
import { block, code, prose } from "./text.mjs"

/** Docstrings name things by `{@link Name}`; pages show them as code. */
const linked = (doc) => doc.replace(/\{@link ([^}|]+)[^}]*\}/g, (_whole, name) => code(name.trim()))

/** What belongs to one name: overloads, and a type beside its value, share the first docstring. */
const byName = (declarations) => {
  const all = new Map()
  for (const { doc, exported, isImport, names, text } of declarations) {
    if (!exported || isImport) continue
    const key = names.join(", ")
    const known = all.get(key) ?? { texts: [], docs: new Set() }
    // the names that tsc writes with where they come from are read more easily without
    known.texts.push(text.replace(/^export (?:declare )?/, "").replace(/import\("[^"]+"\)\./g, ""))
    if (doc !== undefined) known.docs.add(doc)
    all.set(key, known)
  }
  return all
}

const entry = (name, { docs, texts }) =>
  [`### ${code(name)}`, ...Array.from(docs, (doc) => prose(linked(doc))), block("ts", texts.join("\n"))].join("\n\n")

const section = (manifest, { declarations, name }) => {
  const title = importPath(manifest, name) ?? `${name} (by way of the entry points)`
  if (name === "index") {
    const doc = declarations[0]?.doc
    const lines = declarations.filter(({ exported }) => exported).map(({ text }) => text)
    return [`## ${title}`, ...(doc === undefined ? [] : [prose(linked(doc))]), block("ts", lines.join("\n"))].join(
      "\n\n"
    )
  }
  const entries = [...byName(declarations)].map(([key, value]) => entry(key, value))
  return entries.length === 0 ? undefined : [`## ${title}`, ...entries].join("\n\n")
}

/** The page of the manual about a package: every module, and in it every name with its docstring and declaration. */
export const packagePage = (manifest, modules) => {
  const index = modules.filter((module) => module.name === "index")
  const others = modules.filter((module) => module.name !== "index")
  return [
    "---\noutline: 2\n---",
    `# ${manifest.name}`,
    prose(manifest.description),
    "What stands here is taken from the code. The heading of a module is the path by which it is imported.",
    ...[...index, ...others].map((module) => section(manifest, module)).filter((text) => text !== undefined)
  ].join("\n\n")
}
