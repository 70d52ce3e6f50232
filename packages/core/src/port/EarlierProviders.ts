import { Context, Effect, Option } from "effect"
import { Custodian } from "./Custodian.ts"
import { FiatProvider } from "./FiatProvider.ts"
import { IdentityProvider } from "./IdentityProvider.ts"

/**
 * Custodians that get no new orders and are still sent and asked about those that name them. New ones go to `Custodian`. Leave the
 * one that you change away from here until its last order is over.
 */
export const EarlierCustodians = Context.Reference<ReadonlyArray<Custodian["Service"]>>(
  "@bursar/core/port/EarlierCustodians",
  { defaultValue: () => [] }
)

/** Fiat providers that get no new orders, and are still asked about transfers, accounts and hints that are theirs. */
export const EarlierFiatProviders = Context.Reference<ReadonlyArray<FiatProvider["Service"]>>(
  "@bursar/core/port/EarlierFiatProviders",
  { defaultValue: () => [] }
)

/** Identity providers that open no new checks, and are still asked about those that are theirs. */
export const EarlierIdentityProviders = Context.Reference<ReadonlyArray<IdentityProvider["Service"]>>(
  "@bursar/core/port/EarlierIdentityProviders",
  { defaultValue: () => [] }
)

interface Named {
  readonly name: string
}

/** The one that takes new orders before the others. Two of one name could not be told apart: that is a mistake of the assembly. */
const together = <A extends Named>(newest: Option.Option<A>, earlier: ReadonlyArray<A>): ReadonlyArray<A> => {
  const all = [...Option.toArray(newest), ...earlier]
  const twice = all.find(({ name }, at) => all.findIndex((one) => one.name === name) !== at)
  if (twice !== undefined) throw new Error(`two providers are called ${twice.name}`)
  return all
}

/** All custodians that can be asked, the one that takes new orders first. */
export const allCustodians: Effect.Effect<ReadonlyArray<Custodian["Service"]>> = Effect.gen(function* () {
  return together(yield* Effect.serviceOption(Custodian), yield* EarlierCustodians)
})

/** All fiat providers that can be asked, the one that takes new orders first. */
export const allFiatProviders: Effect.Effect<ReadonlyArray<FiatProvider["Service"]>> = Effect.gen(function* () {
  return together(yield* Effect.serviceOption(FiatProvider), yield* EarlierFiatProviders)
})

/** All identity providers that can be asked, the one that opens new checks first. */
export const allIdentityProviders: Effect.Effect<ReadonlyArray<IdentityProvider["Service"]>> = Effect.gen(function* () {
  return together(yield* Effect.serviceOption(IdentityProvider), yield* EarlierIdentityProviders)
})
