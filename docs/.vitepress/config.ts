import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { defineConfig } from "vitepress"

const docs = join(import.meta.dirname, "..")

/** The folders of the manual, in the order in which one reads them. */
const sections = [
  { text: "Guides", folder: "guides" },
  { text: "Concepts", folder: "concepts" },
  { text: "Operate", folder: "operate" },
  { text: "Reference", folder: "reference" }
]

/** A page is called by its first heading. */
const pagesOf = (folder: string) =>
  readdirSync(join(docs, folder))
    .filter((name) => name.endsWith(".md") && name !== "index.md")
    .toSorted()
    .map((name) => {
      const heading = /^# (.+)$/m.exec(readFileSync(join(docs, folder, name), "utf8"))
      return { text: heading?.[1] ?? name, link: `/${folder}/${name.replace(/\.md$/, "")}` }
    })

export default defineConfig({
  title: "Bursar",
  description: "Self-hosted custody and payments for partners, and the library it is made of.",
  lang: "en",
  cleanUrls: true,
  themeConfig: {
    sidebar: sections.map(({ folder, text }) => ({ text, items: pagesOf(folder) })),
    search: { provider: "local" },
    outline: [2, 3]
  }
})
