import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import fc from "fast-check"
import type { SuiteIt } from "../harness.ts"
import { AdapterWorld } from "./AdapterWorld.ts"

/** What a codec makes of bytes that nobody built. */
export const codecTests = (it: SuiteIt<AdapterWorld>, timeoutMs: number): void => {
  it.effect(
    "reads nothing in bytes that are no transaction, says why, and never throws",
    () =>
      Effect.gen(function* () {
        const { codec } = (yield* AdapterWorld).adapter
        fc.assert(
          fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
            const read = codec.read(bytes)
            if (Result.isSuccess(read)) return assert.fail(`${bytes.join(" ")} was taken for a transaction`)
            assert.isNotEmpty(read.failure)
            assert.isTrue(Result.isFailure(codec.finish(bytes, [])))
          })
        )
      }),
    timeoutMs
  )
}
