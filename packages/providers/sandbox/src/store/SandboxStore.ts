import { Effect, FileSystem, Schema } from "effect"

/** What the sandbox knows could not be read or kept. Look at the directory: is it there, writable, and the disk not full? */
export class StoreError extends Schema.TaggedError<StoreError>()("StoreError", {
  area: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `the sandbox could not keep or find its ${this.area}: ${this.detail}`
  }
}

/** Where the sandbox keeps what it knows, one text for each of its areas. */
export interface SandboxStore {
  /** Null where nothing was kept yet. */
  readonly read: (area: string) => Effect.Effect<string | null, StoreError>
  /** Kept whole or not at all. */
  readonly write: (area: string, text: string) => Effect.Effect<void, StoreError>
}

/** Keeps it for as long as the process lives. */
export const memory = (): SandboxStore => {
  const texts = new Map<string, string>()
  return {
    read: (area) => Effect.sync(() => texts.get(area) ?? null),
    write: (area, text) => Effect.sync(() => void texts.set(area, text))
  }
}

/** Keeps a small file for each area in a directory, which is made where it is missing. */
export const directory = Effect.fn("SandboxStore.directory")(function* (
  path: string
): Effect.fn.Return<SandboxStore, StoreError, FileSystem.FileSystem> {
  const files = yield* FileSystem.FileSystem
  const failed = (area: string) => (error: { readonly message: string }) =>
    new StoreError({ area, detail: error.message })
  const file = (area: string) => `${path}/${area}.json`
  yield* Effect.mapError(files.makeDirectory(path, { recursive: true }), failed("directory"))
  return {
    read: (area) =>
      Effect.mapError(
        Effect.flatMap(files.exists(file(area)), (exists) =>
          exists ? files.readFileString(file(area)) : Effect.succeed(null)
        ),
        failed(area)
      ),
    write: (area, text) =>
      Effect.mapError(
        Effect.andThen(
          files.writeFileString(`${file(area)}.new`, text, { mode: 0o600 }),
          files.rename(`${file(area)}.new`, file(area))
        ),
        failed(area)
      )
  }
})
