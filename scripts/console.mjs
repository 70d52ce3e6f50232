import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { root } from "./install.mjs"

/** The package of the operator console. */
export const consoleFolder = join(root, "packages", "console")

const sources = ["src", "index.html", "vite.config.ts", "package.json"]

const newest = (path) =>
  statSync(path).isDirectory()
    ? Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))))
    : statSync(path).mtimeMs

/** Whether the console's static files are there, and as new as its sources. */
export const isConsoleBuilt = () => {
  const page = join(consoleFolder, "dist", "app", "index.html")
  return existsSync(page) && sources.every((name) => newest(join(consoleFolder, name)) <= statSync(page).mtimeMs)
}
