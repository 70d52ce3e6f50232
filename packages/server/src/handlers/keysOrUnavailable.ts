import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import type { StorageError } from "@bursar/core/engine/StorageError"
import type { VaultError } from "@bursar/core/port/Vault"
import { Effect } from "effect"

/** Asks the vault, answering for it where it cannot: that is for operators to mend, and their log says what. */
export const keysOrUnavailable = <A, E, R>(
  effect: Effect.Effect<A, E | VaultError | StorageError, R>
): Effect.Effect<A, Exclude<E, VaultError | StorageError> | ApiError, R> =>
  Effect.catch(effect, (error): Effect.Effect<never, Exclude<E, VaultError | StorageError> | ApiError> => {
    if (!isOfVault(error)) return Effect.fail(error as Exclude<E, VaultError | StorageError>) // what is left of the union
    return Effect.andThen(
      Effect.annotateLogs(Effect.logError("vault.failed"), { detail: error.message }),
      Effect.fail(apiError("provider_unavailable", { message: "The service cannot reach its keys at the moment." }))
    )
  })

const isOfVault = (error: unknown): error is VaultError | StorageError =>
  typeof error === "object" &&
  error !== null &&
  "_tag" in error &&
  (error._tag === "VaultError" || error._tag === "StorageError")
