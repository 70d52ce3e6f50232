import { logStorageError, type StorageError } from "@bursar/core/engine/StorageError"
import { SecretBox } from "@bursar/core/port/SecretBox"
import { Tenants } from "@bursar/core/port/Tenants"
import { Queries } from "@bursar/core/store/Queries"
import type { Tenant } from "@bursar/core/tenant/Tenant"
import { brokenSeal } from "@bursar/server/keys/distrust"
import { Effect, type Redacted } from "effect"

/** Whether none of what was made under a secret is right under this one, though there is some. Looks no further than to the first that is right. */
const isNoneRight = Effect.fnUntraced(function* <R>(
  judgedOf: (tenant: Tenant) => Effect.Effect<ReadonlyArray<Effect.Effect<boolean>>, StorageError, R>
) {
  const { tenants } = yield* (yield* Tenants).list
  let isThere = false
  for (const tenant of tenants)
    for (const isRight of yield* judgedOf(tenant)) {
      if (yield* isRight) return false
      isThere = true
    }
  return isThere
})

/** Says where SECRETS_KEY opens no secret of an endpoint: what is made under it is lost once the right one is back. */
export const tellWrongSecretsKey = Effect.gen(function* () {
  const [queries, box] = [yield* Queries, yield* SecretBox]
  const isWrong = yield* isNoneRight(({ id }) =>
    Effect.map(queries.endpoints(id), (all) => all.map(({ secret }) => Effect.isSuccess(box.open(id, secret))))
  )
  if (isWrong) yield* Effect.logError("secrets_key.opens_nothing")
}).pipe(Effect.catchTag("StorageError", logStorageError))

/** Says where no sealed API key was made under KEY_PEPPER: what is made under it works no more once the right one is back. */
export const tellWrongPepper = Effect.fn("assemble.tellWrongPepper")(
  function* (pepper: Redacted.Redacted) {
    const { keys } = yield* Tenants
    const isWrong = yield* isNoneRight((tenant) =>
      Effect.map(keys(tenant.id), (all) =>
        all
          .filter(({ seal }) => seal !== null)
          .map((key) => Effect.sync(() => brokenSeal(pepper, { key, tenant }) === undefined))
      )
    )
    if (isWrong) yield* Effect.logError("key_pepper.fits_no_key")
  },
  Effect.catchTag("StorageError", logStorageError)
)
