import { readSignSettings } from "@bursar/cli/config/Settings"
import { SignerTurn } from "@bursar/core/port/SignerTurn"
import { SigningView } from "@bursar/core/port/SigningView"
import * as Memory from "@bursar/memory"
import { openStore } from "@bursar/signer"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { openSigner } from "../src/assemble/sign.ts"
import { environmentFor } from "./support/environmentFor.ts"
import { environmentOf } from "./support/world.ts"

const view = SigningView.of({
  progress: () => Effect.succeed(undefined),
  newestSignatures: () => Effect.succeed([]),
  openSignatures: () => Effect.succeed([]),
  answeredRequests: () => Effect.succeed([])
})

const ports = Layer.mergeAll(
  Memory.layer,
  Layer.succeed(SigningView, view),
  Layer.succeed(SignerTurn, SignerTurn.of({ take: Effect.succeed({ isHeld: () => true }) }))
)

it.live("a signer that went by grants does not start without a root: rows would decide who is paid", () =>
  Effect.gen(function* () {
    const env = environmentFor("sign", environmentOf("postgres://u:p@127.0.0.1/none"))
    const settings = Result.getOrThrow(readSignSettings(env))
    const starts = Effect.scoped(openSigner(settings)).pipe(Effect.provide(ports))
    // a store that knows no grants is that of a service without them
    yield* starts
    yield* Effect.scoped(
      Effect.flatMap(openStore({ directory: settings.store }, view), ({ commit }) =>
        commit({ _tag: "GrantHead", tenantId: null, number: 1, hash: "ab" })
      )
    )
    const error = yield* Effect.flip(starts)
    assert.match("mistakes" in error ? error.mistakes.join() : String(error), /^GRANT_ROOT is missing, and the store/u)
  })
)
