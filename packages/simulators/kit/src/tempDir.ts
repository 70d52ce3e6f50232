import { Effect } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** An empty directory, removed with the scope. */
export const tempDir = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "bursar-test-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
)
