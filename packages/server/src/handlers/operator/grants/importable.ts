import type { ApiError } from "@bursar/api/errors/ApiError"
import type { KnownChain } from "@bursar/core/grant/grantCommands"
import { type KindAndValues, subjectOf } from "@bursar/core/grant/GrantDocument"
import { type ImportedGrants, importedNetworks, importedSettings } from "@bursar/core/grant/importedGrants"
import { readTenantRows } from "@bursar/core/grant/tenantRows"
import { Networks } from "@bursar/core/port/Networks"
import { NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import { Tenants } from "@bursar/core/port/Tenants"
import type { Vault } from "@bursar/core/port/Vault"
import type { Queries } from "@bursar/core/store/Queries"
import { Clock, Context, Effect } from "effect"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { orUnavailable } from "../../../refusals.ts"
import { findTenant } from "../found.ts"
import { checkValues } from "./checkValues.ts"

const reasonOf = ({ error }: ApiError): string => error.fields?.map(({ message }) => message).join(" ") ?? error.message

/** What of the rows that belong to a chain is not granted yet. A row that means nothing here is left out. */
export const makeImportable = Effect.gen(function* () {
  const services = yield* Effect.context<Networks | NetworkSwitches | Queries | Tenants | Vault>()
  const { currencies } = yield* ServerConfig
  const here = { currencies, networks: Context.get(services, Networks) }

  const rowsOf = Effect.fnUntraced(function* ({ fleet, tenant }: KnownChain) {
    if (tenant === undefined)
      return importedNetworks(fleet, yield* orUnavailable(Context.get(services, NetworkSwitches).all))
    const row = yield* findTenant(Context.get(services, Tenants), tenant.tenantId)
    const rows = yield* orUnavailable(Effect.provide(readTenantRows(row), services))
    return importedSettings(tenant, rows, yield* Clock.currentTimeMillis)
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
