/**
 * Writes the pages of the manual that are taken from the code: the HTTP interfaces, from their OpenAPI documents, and
 * what each package offers, from its declarations. They are not committed. The packages must have been built.
 */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { declarationsOf } from "./declarations.mjs"
import { root } from "./install.mjs"
import { publicLibraries } from "./pack.mjs"
import { openApiPage } from "./reference/openApiPage.mjs"
import { packagePage } from "./reference/packagePage.mjs"

const documents = [
  { name: "partner", file: "openapi.json", errorsPage: "../reference/errors" },
  { name: "operator", file: "operator-openapi.json" }
]

const fresh = async (folder) => {
  const path = join(root, "docs", folder)
  await rm(path, { recursive: true, force: true })
  await mkdir(path)
  return path
}

const http = await fresh("http")
for (const { errorsPage, file, name } of documents) {
  const document = JSON.parse(await readFile(join(root, "packages", "api", file), "utf8"))
  await writeFile(join(http, `${name}.md`), openApiPage(document, errorsPage))
}

const packages = await fresh("packages")
for (const { manifest, path } of await publicLibraries()) {
  // folders of two groups may share a name, packages do not: a page never takes the place of another
  const page = join(packages, `${manifest.name.slice(manifest.name.indexOf("/") + 1)}.md`)
  await writeFile(page, packagePage(manifest, await declarationsOf(path)), { flag: "wx" })
}
