import { testApprover, testRoot } from "@bursar/testkit/fixtures/grants"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { newRootProblem, parseGrantRoot } from "../../src/grant/GrantRoot.ts"

const rootText = Effect.fnUntraced(function* (quorums: Readonly<Record<string, string>>) {
  const people = yield* Effect.forEach([1, 2, 3], (seed) => testApprover(`person-${seed}`, seed))
  return JSON.stringify({ ...testRoot(people, 1), quorums }, null, 2)
})

const problemOf = (text: string): string | undefined => {
  const read = parseGrantRoot(text)
  return Result.isFailure(read) ? read.failure : undefined
}

describe("the root of grants", () => {
  it.effect(
    "that is new names kinds of grants that there are: of any other, the one that is meant would take fewer people",
    () =>
      Effect.gen(function* () {
        const newProblem = (text: string) => Result.map(parseGrantRoot(text), newRootProblem)
        const right = yield* rootText({ destination: "3", payout_wallet: "2" })
        assert.deepStrictEqual(newProblem(right), Result.succeed(undefined))
        for (const kind of ["destinations", "Destination", "toString"])
          // it is read all the same: a root that chains follow on can never be mended
          assert.deepStrictEqual(
            newProblem(yield* rootText({ [kind]: "3" })),
            Result.succeed(`quorums: ${kind} is no kind of grant`)
          )
        assert.deepStrictEqual(
          newProblem(right.replace("Approver person-1", "Approver\\u3000person-1")),
          Result.succeed("a name holds U+3000, which nobody sees or tells from a space")
        )
      })
  )

  it.effect("is refused with a key that stands twice, wherever that is and however it is written", () =>
    Effect.gen(function* () {
      const text = yield* rootText({ destination: "3" })
      // what looks like a key inside a text is none
      assert.isUndefined(problemOf(text.replace('"name": "', String.raw`"name": "\"name\": `)))
      for (const [one, two] of [
        ['"quorum": "1"', '"quorum": "3", "quorum": "1"'],
        ['"quorum": "1"', String.raw`"quorum": "3", "quoru\u006d" : "1"`],
        ['"destination": "3"', '"destination": "3", "destination": "1"'],
        ['"id": "person-1"', '"id": "another", "id": "person-1"']
      ] as const) {
        assert.include(text, one)
        assert.strictEqual(
          problemOf(text.replace(one, two)),
          "a key of an object stands in it twice: delete the first one, which does not count"
        )
      }
    })
  )
})
