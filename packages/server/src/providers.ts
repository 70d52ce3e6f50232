import { FiatProvider } from "@bursar/core/port/FiatProvider"
import { IdentityProvider } from "@bursar/core/port/IdentityProvider"
import { Effect, type Option } from "effect"

/** Who checks identities and who moves fiat, as far as they were configured. */
export interface Providers {
  readonly identity: Option.Option<IdentityProvider["Service"]>
  readonly fiat: Option.Option<FiatProvider["Service"]>
}

/** Finds them among the services that the handler's layer was given; neither must be there. */
export const providers: Effect.Effect<Providers> = Effect.gen(function* () {
  return {
    identity: yield* Effect.serviceOption(IdentityProvider),
    fiat: yield* Effect.serviceOption(FiatProvider)
  }
})
