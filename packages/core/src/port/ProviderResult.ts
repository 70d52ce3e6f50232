import { storable } from "../base/storable.ts"

/**
 * What a provider says of a call that moves value. `Done` and `Refused` are certain; everything else is `Unknown`: a timeout,
 * a lost connection, an answer that cannot be read, any 5xx. Nothing may be concluded from it, and nothing is sent again
 * before the provider was asked what became of our own reference.
 */
export type ProviderResult<A> =
  | { readonly _tag: "Done"; readonly value: A }
  /** It was not done and never will be under this reference. */
  | { readonly _tag: "Refused"; readonly reason: string }
  | { readonly _tag: "Unknown"; readonly detail: string }

/** It is done. */
export const done = <A>(value: A): ProviderResult<A> => ({ _tag: "Done", value })

/** It was certainly not done, for a reason in the words of the provider. */
export const refused = (reason: string): ProviderResult<never> => ({ _tag: "Refused", reason: storable(reason) })

/** Whether it was done is not known, as the provider or its silence says. */
export const unknown = (detail: string): ProviderResult<never> => ({ _tag: "Unknown", detail: storable(detail) })
