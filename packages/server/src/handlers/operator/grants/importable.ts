import type { ApiError } from "@bursar/api/errors/ApiError"
import type { KnownChain } from "@bursar/core/grant/grantCommands"
import { type KindAndValues, subjectOf } from "@bursar/core/grant/GrantDocument"
import {
  type ImportedGrants,
  importedNetworks,
  importedSettings,
  type TenantRows
} from "@bursar/core/grant/importedGrants"
import { readTenantRows } from "@bursar/core/grant/tenantRows"
import { Networks } from "@bursar/core/port/Networks"
import { NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import type { AuditSeals } from "@bursar/core/port/AuditSeals"
import type { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { Tenants } from "@bursar/core/port/Tenants"
import type { Vault } from "@bursar/core/port/Vault"
import type { Queries } from "@bursar/core/store/Queries"
import { Clock, Context, Effect, type Redacted } from "effect"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { isSealOf } from "../../../keys/keySeal.ts"
import { orUnavailable } from "../../../refusals.ts"
import { findTenant } from "../found.ts"
import { providerPlaces } from "../providerPlaces.ts"
import { checkValues } from "./checkValues.ts"
import { revokedBefore } from "./revokedBefore.ts"

const reasonOf = ({ error }: ApiError): string => error.fields?.map(({ message }) => message).join(" ") ?? error.message

/** The API keys whose rows are not what the service has sealed: somebody has changed them, or nobody has looked at them yet. */
const doubtfulKeys = (pepper: Redacted.Redacted, { apiKeys, tenant }: TenantRows) =>
  apiKeys.flatMap((key): ReadonlyArray<readonly [string, string]> => {
    if (key.seal === null) return [[key.id, "it has no seal: bursar key seal"]]
    return isSealOf(pepper, { ...key, kind: tenant.kind }, key.seal)
      ? []
      : [[key.id, "it was altered after it was made"]]
  })

/** What of the rows that belong to a chain is not granted yet. A row that means nothing here is left out. */
export const makeImportable = Effect.gen(function* () {
  const services = yield* Effect.context<
    AuditSeals | Networks | NetworkSwitches | OperatorAudit | Queries | Tenants | Vault
  >()
  const { currencies, keyPepper } = yield* ServerConfig
  const here = { currencies, networks: Context.get(services, Networks), isPlace: yield* providerPlaces }

  const rowsOf = Effect.fnUntraced(function* ({ fleet, tenant }: KnownChain) {
    if (tenant === undefined)
      return importedNetworks(fleet, yield* orUnavailable(Context.get(services, NetworkSwitches).all))
    const row = yield* findTenant(Context.get(services, Tenants), tenant.tenantId)
    const rows = yield* orUnavailable(Effect.provide(readTenantRows(row), services))
    const revoked = yield* orUnavailable(Effect.provide(revokedBefore(rows), services))
    const doubtful = new Map([...rows.doubtful, ...doubtfulKeys(keyPepper, rows), ...revoked])
    return importedSettings(tenant, { ...rows, doubtful }, yield* Clock.currentTimeMillis)
  })

  return Effect.fn("grants.importable")(function* (known: KnownChain) {
    const { contents, leftOut } = yield* rowsOf(known)
    const [right, wrong] = yield* Effect.partition(contents, (content: KindAndValues) =>
      checkValues(here, content).pipe(
        Effect.as(content),
        Effect.mapError((error) => ({ what: `${content.kind} ${subjectOf(content)}`, reason: reasonOf(error) }))
      )
    )
    return { contents: right, leftOut: [...leftOut, ...wrong] } satisfies ImportedGrants
  })
})
