import { Layer } from "effect"
import * as MemoryAuditSeals from "./MemoryAuditSeals.ts"
import * as MemoryJobQueue from "./MemoryJobQueue.ts"
import * as MemoryJournal from "./MemoryJournal.ts"
import * as MemoryLedgerSnapshot from "./MemoryLedgerSnapshot.ts"
import * as MemoryCallTurns from "./MemoryCallTurns.ts"
import * as MemoryDeliveries from "./MemoryDeliveries.ts"
import * as MemoryGrantStore from "./MemoryGrantStore.ts"
import * as MemoryHeads from "./MemoryHeads.ts"
import * as MemoryHeldArrivals from "./MemoryHeldArrivals.ts"
import * as MemoryKeyStore from "./MemoryKeyStore.ts"
import * as MemoryKnownCurrencies from "./MemoryKnownCurrencies.ts"
import * as MemoryKnownNetworks from "./MemoryKnownNetworks.ts"
import * as MemoryLeadership from "./MemoryLeadership.ts"
import * as MemoryNetworkSwitches from "./MemoryNetworkSwitches.ts"
import * as MemoryOperatorAudit from "./MemoryOperatorAudit.ts"
import * as MemoryPositions from "./MemoryPositions.ts"
import * as MemoryOperatorSessions from "./MemoryOperatorSessions.ts"
import * as MemoryProviderCalls from "./MemoryProviderCalls.ts"
import * as MemoryQuarantine from "./MemoryQuarantine.ts"
import * as MemoryQueries from "./MemoryQueries.ts"
import * as MemoryRateLimits from "./MemoryRateLimits.ts"
import * as MemorySeries from "./MemorySeries.ts"
import * as MemorySolvencyStore from "./MemorySolvencyStore.ts"
import * as MemoryStatements from "./MemoryStatements.ts"
import * as MemoryStorage from "./MemoryStorage.ts"
import * as MemoryTenants from "./MemoryTenants.ts"
import * as MemoryWaiting from "./MemoryWaiting.ts"
import * as MemoryWatchState from "./MemoryWatchState.ts"
import { type State, Store } from "./Store.ts"

const ports = Layer.mergeAll(
  MemoryStorage.layer,
  MemoryTenants.layer,
  MemoryQueries.layer,
  MemoryWatchState.layer,
  MemoryLeadership.layer,
  MemoryDeliveries.layer,
  MemoryRateLimits.layer,
  MemoryLedgerSnapshot.layer,
  MemoryJournal.layer,
  MemoryKeyStore.layer,
  MemoryGrantStore.layer,
  MemoryJobQueue.layer,
  MemoryOperatorAudit.layer,
  MemoryAuditSeals.layer,
  MemoryNetworkSwitches.layer,
  MemoryKnownNetworks.layer,
  MemoryKnownCurrencies.layer,
  MemoryCallTurns.layer,
  MemoryOperatorSessions.layer,
  MemoryQuarantine.layer,
  MemoryHeads.layer,
  MemorySeries.layer,
  MemoryHeldArrivals.layer,
  MemorySolvencyStore.layer,
  MemoryPositions.layer,
  MemoryStatements.layer,
  MemoryProviderCalls.layer,
  MemoryWaiting.layer
)

/** All storage-side ports over a given state. Several such layers over one state are as several processes on one database. */
export const layerOver = (state: State) => Layer.fresh(ports.pipe(Layer.provide(Layer.succeed(Store, state))))

/** All storage-side ports over one empty store of their own. */
export const layer = ports.pipe(Layer.provide(Store.layer))
