import { builtinModules } from "node:module"
import { build, type Rolldown } from "vite"

/** An entry point as one module, with what it would need of Node. */
export interface Bundle {
  readonly code: string
  /** The built-in modules of Node that are imported anywhere in it. */
  readonly builtIns: ReadonlyArray<string>
}

const builtIn = new Set(builtinModules)

/** Bundles an entry point of the package for a runtime that is neither Node nor a browser. */
export const bundle = async (entry: string, { minify = false } = {}): Promise<Bundle> => {
  const builtIns: Array<string> = []
  const output = await build({
    configFile: false,
    logLevel: "error",
    // nothing of Node or a browser is assumed
    resolve: { conditions: ["import", "default"], mainFields: ["module", "main"] },
    build: {
      write: false,
      minify,
      target: "es2024",
      lib: { entry, formats: ["iife"], name: "bundled", fileName: "bundle" },
      rollupOptions: { external: [] }
    },
    plugins: [
      {
        name: "no-built-ins",
        enforce: "pre",
        resolveId: (source) => {
          if (!source.startsWith("node:") && !builtIn.has(source)) return null
          builtIns.push(source)
          return { id: source, external: true }
        }
      }
    ]
  })
  const [one] = (Array.isArray(output) ? output : [output]) as ReadonlyArray<Rolldown.RolldownOutput>
  return { code: one?.output[0].code ?? "", builtIns }
}
