import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { root } from "./install.mjs"

/** The package of the operator console. */
export const consoleFolder = join(root, "packages", "console")

/** What it is made of: its own files, the contract, and the versions of what it bundles. */
const sources = [
  ...["src", "index.html", "vite.config.ts", "package.json"].map((name) => join(consoleFolder, name)),
  join(root, "packages", "api", "src"),
  join(root, "pnpm-lock.yaml")
]

const newest = (path) =>
  statSync(path).isDirectory()
    ? Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))))
    : statSync(path).mtimeMs

/** Whether the console's static files are there, and as new as its sources. */
export const isConsoleBuilt = () => {
  const page = join(consoleFolder, "dist", "app", "index.html")
  return existsSync(page) && sources.every((path) => newest(path) <= statSync(page).mtimeMs)
}
