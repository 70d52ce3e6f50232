import { SignerTurn } from "@bursar/core/port/SignerTurn"
import { SigningView } from "@bursar/core/port/SigningView"
import { Effect, Layer } from "effect"

/** What a signer is told of a database in which nothing was ever signed. */
export const nothingSigned = SigningView.of({
  progress: () => Effect.succeed(undefined),
  progressOfAll: Effect.succeed(new Map()),
  onPrimary: (effect) => effect,
  newestSignatures: () => Effect.succeed([]),
  openSignatures: () => Effect.succeed([]),
  answeredRequests: () => Effect.succeed([])
})

/** A database in which nothing was ever signed, and the turn of a signer that no other is beside. */
export const layerAloneSigner = Layer.merge(
  Layer.succeed(SigningView, nothingSigned),
  Layer.succeed(SignerTurn, SignerTurn.of({ take: Effect.succeed({ isHeld: () => true, taken: () => 1 }) }))
)
