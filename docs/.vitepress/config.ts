import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { defineConfig, type MarkdownRenderer } from "vitepress"

const docs = join(import.meta.dirname, "..")

/** The folders of the manual in the order in which one reads them; any other comes after these. */
const known = [
  ["tutorial", "Tutorial"],
  ["guides", "Guides"],
  ["concepts", "Concepts"],
  ["operate", "Operate"],
  ["reference", "Reference"],
  ["http", "HTTP interfaces"],
  ["packages", "Packages"],
  ["contributing", "Contributing"]
] as const

/** They are written from the code, and long: closed until somebody opens them. */
const collapsed: ReadonlySet<string> = new Set(["http", "packages"])

const isFolder = (name: string) => existsSync(join(docs, name)) && !name.startsWith(".") && name !== "public"

const folders = readdirSync(docs, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && isFolder(entry.name))
  .map(({ name }) => name)

const sections = [
  ...known.filter(([folder]) => folders.includes(folder)),
  ...folders
    .filter((folder) => known.every(([name]) => name !== folder))
    .map((folder) => [folder, `${folder.charAt(0).toUpperCase()}${folder.slice(1)}`] as const)
]

/** A page is called by its first heading, and stands where its comment `order: <number>` says, or else by its name. */
const pageOf = (folder: string, file: string) => {
  const text = readFileSync(join(docs, folder, file), "utf8")
  return {
    order: Number(/^<!-- order: (\d+) -->$/m.exec(text)?.[1] ?? Number.MAX_SAFE_INTEGER),
    text: /^# (.+)$/m.exec(text)?.[1] ?? file,
    link: `/${folder}/${file.replace(/\.md$/, "")}`
  }
}

const pagesOf = (folder: string) =>
  readdirSync(join(docs, folder))
    .filter((file) => file.endsWith(".md") && file !== "index.md")
    .toSorted()
    .map((file) => pageOf(folder, file))
    .toSorted((one, other) => one.order - other.order)

const sidebar = sections
  .map(([folder, text]) => ({
    text,
    items: pagesOf(folder),
    ...(collapsed.has(folder) ? { collapsed: true } : {})
  }))
  .filter(({ items }) => items.length > 0)

/** Each page is rendered for the server, for the browser and for the search: the code in it is highlighted once. */
const highlightOnce = ({ options }: MarkdownRenderer) => {
  const { highlight } = options
  if (!highlight) return
  const made = new Map<string, string>()
  options.highlight = (code, language, attributes) => {
    const key = JSON.stringify([code, language, attributes])
    const html = made.get(key) ?? highlight(code, language, attributes)
    made.set(key, html)
    return html
  }
}

export default defineConfig({
  title: "Bursar",
  description: "Self-hosted custody and payments for partners, and the library it is made of.",
  lang: "en",
  cleanUrls: true,
  markdown: { config: highlightOnce },
  themeConfig: {
    nav: sidebar
      .filter(({ text }) => text !== "HTTP interfaces" && text !== "Packages")
      .map(({ items, text }) => ({ text, link: items[0]?.link ?? "/" })),
    sidebar,
    search: { provider: "local" },
    outline: [2, 3]
  }
})
