import { Effect } from "effect"
import { createRequire } from "node:module"
import { DevnetError } from "@bursar/simulator-kit/DevnetError"

const architectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" }

/**
 * The path of anvil's own executable. The package's `bin.mjs` is passed over: it is a wrapper whose child survives when
 * the wrapper is killed.
 */
export const anvilBinary: Effect.Effect<string, DevnetError> = Effect.try({
  try: () => {
    const wrapper = createRequire(import.meta.url).resolve("@foundry-rs/anvil/package.json")
    const name = `@foundry-rs/anvil-${process.platform}-${architectures[process.arch] ?? process.arch}`
    // The platform package is the wrapper's dependency, not ours, so it is looked up from there.
    return createRequire(wrapper).resolve(`${name}/bin/anvil${process.platform === "win32" ? ".exe" : ""}`)
  },
  catch: (cause) =>
    new DevnetError({
      code: "binary_missing",
      message: `no anvil for ${process.platform} ${process.arch}`,
      hint: "Install with optional dependencies enabled; anvil exists for Linux and macOS on x64 and arm64.",
      cause
    })
})
