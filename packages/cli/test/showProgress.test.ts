import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { showProgress } from "@bursar/cli/assemble/showProgress"

const showing = (isTTY: boolean) => {
  const written: Array<string> = []
  return { written, ...showProgress({ isTTY, write: (text) => written.push(text) }) }
}

describe("the progress of a check", () => {
  it.effect("is one line on a terminal, seldom written anew, and gone at the end", () =>
    Effect.gen(function* () {
      const { clear, progress, written } = showing(true)
      yield* progress({ slug: "one" }, 2_000)
      yield* progress({ slug: "one" }, 2_000)
      yield* TestClock.adjust("1 second")
      yield* progress({ slug: "one" }, 500)
      yield* TestClock.adjust("1 second")
      yield* progress({ slug: "other" }, 7)
      yield* clear
      assert.deepStrictEqual(written, [
        "\r\u001B[Kone: 2,000 rows checked",
        "\r\u001B[Kone: 4,500 rows checked",
        "\r\u001B[Kother: 7 rows checked",
        "\r\u001B[K"
      ])
    })
  )

  it.effect("is not shown to programs", () =>
    Effect.gen(function* () {
      const { clear, progress, written } = showing(false)
      yield* progress({ slug: "one" }, 2_000)
      yield* clear
      assert.deepStrictEqual(written, [])
    })
  )
})
