import { SignerTurn, SignerTurnTaken } from "@bursar/core/port/SignerTurn"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { failuresOf } from "../../src/suites/failuresOf.ts"
import { signerTurnTests } from "../../src/suites/signerTurnSuite.ts"

interface Store {
  owner: object | undefined
}

/** A turn that a store keeps. It looks whether it is lost when it is asked, and takes itself again. */
const turnIn = (store: Store, { looks = true } = {}) =>
  Layer.succeed(
    SignerTurn,
    SignerTurn.of({
      take: Effect.gen(function* () {
        const own = {}
        let taken = 0
        let isOver = false
        const tryToTake = () => {
          if (store.owner !== undefined) return
          store.owner = own
          taken += 1
        }
        tryToTake()
        if (store.owner !== own) return yield* new SignerTurnTaken()
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => {
            isOver = true
            if (store.owner === own) store.owner = undefined
          })
        )
        const isHeld = () => {
          const held = store.owner === own
          if (!held && !isOver) tryToTake()
          return held
        }
        return { isHeld: looks ? isHeld : () => true, taken: () => taken }
      })
    })
  )

const failures = (layer: ReturnType<typeof turnIn>, second: ReturnType<typeof turnIn>, store: Store) =>
  failuresOf(layer, (tests) =>
    signerTurnTests(tests, {
      second,
      lose: Effect.sync(() => {
        store.owner = undefined
      }),
      timeoutMs: 2_000
    })
  )

const alone = "is one signer's; a second one is told so at its start, and has it once the first has ended"
const lost = "is not held once it is lost, until it is taken again, which it tells"

it.live("a turn of one store passes", () =>
  Effect.gen(function* () {
    const store: Store = { owner: undefined }
    assert.deepStrictEqual(yield* failures(turnIn(store), turnIn(store), store), [])
  })
)

it.live("a turn that excludes the signers of its own process alone is refused", () =>
  Effect.gen(function* () {
    const [store, another]: readonly [Store, Store] = [{ owner: undefined }, { owner: undefined }]
    assert.deepStrictEqual(yield* failures(turnIn(store), turnIn(another), store), [alone])
  })
)

it.live("a turn that says that it is held for ever is refused", () =>
  Effect.gen(function* () {
    const store: Store = { owner: undefined }
    const blind = turnIn(store, { looks: false })
    assert.deepStrictEqual(yield* failures(blind, blind, store), [alone, lost])
  })
)
