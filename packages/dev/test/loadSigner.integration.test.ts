import { isAlive } from "@bursar/simulator-kit/SupervisedProcess"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { loadSigner } from "../src/loadSigner.ts"

describe("a signer that loads before its settings are known", () => {
  it.live("ends with its scope where it is told nothing, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const { folder, process } = yield* Effect.scoped(loadSigner)
      assert.isFalse(isAlive(process.pid))
      assert.isFalse(existsSync(folder))
    })
  )

  it.live("takes what it is told for its settings, and says what is wrong with them", () =>
    Effect.gen(function* () {
      const { begin, process } = yield* loadSigner
      // as if nobody had set anything
      yield* begin({ args: [], env: { DATABASE_URL: "", VAULT_MASTER_KEY: "", SIGNER: "", SIGNER_STORE: "" } })
      assert.notStrictEqual(yield* process.exited, 0)
      for (const missing of ["DATABASE_URL", "VAULT_MASTER_KEY", "SIGNER_STORE"])
        assert.include(yield* process.output, missing)
    }).pipe(Effect.scoped)
  )
})
