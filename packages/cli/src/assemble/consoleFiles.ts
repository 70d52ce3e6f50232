import { ConsoleFiles } from "@bursar/server/console/ConsoleFiles"
import { Effect, Layer } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"

const filesBelow = (folder: string): ReadonlyMap<string, Uint8Array> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => join(parentPath, name))
      .map((file) => [`/${relative(folder, file).split(sep).join("/")}`, new Uint8Array(readFileSync(file))])
  )

/** The built console, as its package has it. Where it was not built, operators are told once, and the interface is served without it. */
export const layerConsole = Layer.effect(
  ConsoleFiles,
  Effect.try(() => {
    const manifest = fileURLToPath(import.meta.resolve("@bursar/console/package.json"))
    return filesBelow(join(dirname(manifest), "dist", "app"))
  }).pipe(
    Effect.catch(() =>
      Effect.as(Effect.logWarning("console.missing"), new Map<string, Uint8Array>() as ReadonlyMap<string, Uint8Array>)
    )
  )
)
