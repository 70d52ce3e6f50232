import { apiError } from "@bursar/api/errors/ApiError"
import { underKey } from "@bursar/cli/commands/underKey"
import { assert, it } from "@effect/vitest"
import { Console, Effect, Option } from "effect"

/** What is told, and under which key, where a request fails. */
const failing = Effect.fnUntraced(function* (given: Option.Option<string>, error: unknown) {
  const told: Array<unknown> = []
  const keys: Array<string> = []
  const console = yield* Console.Console
  const failed = yield* underKey(given, (headers) => {
    keys.push(headers["idempotency-key"])
    return Effect.fail(error)
  }).pipe(
    Effect.flip,
    Effect.provideService(Console.Console, {
      ...console,
      error: (...words: ReadonlyArray<unknown>) => void told.push(...words)
    })
  )
  assert.strictEqual(failed, error)
  return { keys, told: told.join("\n") }
})

const open = [new Error("the connection was closed"), apiError("internal_error"), apiError("read_only")]

it.effect("a key that nobody gave is told where it is open what became of the request", () =>
  Effect.forEach(open, (error) =>
    Effect.gen(function* () {
      const { keys, told } = yield* failing(Option.none(), error)
      assert.lengthOf(keys, 1)
      assert.include(told, `--key ${keys[0]}`)
    })
  )
)

it.effect("and not where the service has refused it, or the key is known", () =>
  Effect.gen(function* () {
    assert.strictEqual((yield* failing(Option.none(), apiError("grant_required"))).told, "")
    assert.deepStrictEqual(yield* failing(Option.some("mine"), apiError("internal_error")), {
      keys: ["mine"],
      told: ""
    })
  })
)
