/**
 * PostgreSQL behind the storage ports: `layer` provides them over one set of pools, `migrate` brings a database up to
 * date first.
 */
import { Layer } from "effect"
import { type ConnectionOptions, layer as layerConnection } from "./Connection.ts"
import { layer as layerAuditSeals } from "./AuditSeals.ts"
import { layer as layerJobQueue } from "./JobQueue.ts"
import { layer as layerLedgerSnapshot } from "./LedgerSnapshot.ts"
import { layer as layerCallTurns } from "./CallTurns.ts"
import { layer as layerDeliveries } from "./Deliveries.ts"
import { layer as layerGrantStore } from "./GrantStore.ts"
import { layer as layerJournal } from "./Journal.ts"
import { layer as layerKeyStore } from "./KeyStore.ts"
import { layer as layerKnownCurrencies } from "./KnownCurrencies.ts"
import { layer as layerKnownNetworks } from "./KnownNetworks.ts"
import { layer as layerLeadership } from "./Leadership.ts"
import { layer as layerNetworkSwitches } from "./NetworkSwitches.ts"
import { layer as layerOperatorAudit } from "./OperatorAudit.ts"
import { layer as layerHeads } from "./Heads.ts"
import { layer as layerHeldArrivals } from "./HeldArrivals.ts"
import { layer as layerPositions } from "./Positions.ts"
import { layer as layerOperatorSessions } from "./OperatorSessions.ts"
import { layer as layerProviderCalls } from "./ProviderCalls.ts"
import { layer as layerQuarantine } from "./Quarantine.ts"
import { layer as layerQueries } from "./Queries.ts"
import { layer as layerRateLimits } from "./RateLimits.ts"
import { layer as layerSeries } from "./Series.ts"
import { layer as layerSignerTurn } from "./SignerTurn.ts"
import { layer as layerSigningView } from "./SigningView.ts"
import { layer as layerSolvencyStore } from "./SolvencyStore.ts"
import { layer as layerStatements } from "./Statements.ts"
import { layer as layerStorage } from "./storage/layer.ts"
import { layer as layerTenants } from "./Tenants.ts"
import { layer as layerWaiting } from "./Waiting.ts"
import { layer as layerWatchState } from "./WatchState.ts"

export { Connection, type ConnectionOptions, layer as layerConnection } from "./Connection.ts"
export { migrate } from "./migrate.ts"
export { rebuildTotals } from "./rebuildTotals.ts"
export { applyRoles } from "./roles/applyRoles.ts"
export { RolePrefixInvalid, roleScript } from "./roles/roleStatements.ts"
export { requireDatabase, watchDatabase } from "./requireDatabase.ts"
export { SchemaDiffers } from "./schemaVersion.ts"
export { ServerTooOld } from "./serverVersion.ts"
/** What a table of your own records is made of: columns, their types, and how their cells are read. */
export * as Cell from "./internal/cells.ts"
export * as ColumnType from "./internal/columnTypes.ts"
export { mapRecord, type MappedRecord } from "./internal/MappedRecord.ts"
export { bigintColumn, column, type RecordTable } from "./internal/Table.ts"

/**
 * All ports over one set of pools. A layer is built once however often it is used; two calls make two sets, each with
 * its own options.
 */
export const layer = (options: ConnectionOptions) => {
  // the parts are constants and would be shared between databases
  const own = Layer.fresh(
    Layer.mergeAll(
      layerStorage,
      layerTenants,
      layerQueries,
      layerWatchState,
      layerLeadership,
      layerDeliveries,
      layerRateLimits,
      layerSigningView,
      layerSignerTurn,
      layerLedgerSnapshot,
      layerJournal,
      layerKeyStore,
      layerGrantStore,
      layerJobQueue,
      layerOperatorAudit,
      layerAuditSeals,
      layerNetworkSwitches,
      layerKnownNetworks,
      layerKnownCurrencies,
      layerCallTurns,
      layerOperatorSessions,
      layerQuarantine,
      layerHeads,
      layerSeries,
      layerHeldArrivals,
      layerSolvencyStore,
      layerPositions,
      layerStatements,
      layerProviderCalls,
      layerWaiting
    ).pipe(Layer.provide(layerConnection(options)))
  )
  return Layer.fromBuildMemo((memoMap, scope) => Layer.buildWithMemoMap(own, memoMap, scope))
}
