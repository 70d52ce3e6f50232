import { accountSetups } from "./accountSetups.ts"
import { addresses } from "./addresses.ts"
import { addressProofs } from "./addressProofs.ts"
import { agenda } from "./agenda.ts"
import { apiKeys } from "./apiKeys.ts"
import { attemptAge } from "./attemptAge.ts"
import { attemptEvents } from "./attemptEvents.ts"
import { auditSeals } from "./auditSeals.ts"
import { auditValues } from "./auditValues.ts"
import { evidenceFees } from "./evidenceFees.ts"
import { backfills } from "./backfills.ts"
import { backfillTurns } from "./backfillTurns.ts"
import { dueBackfills } from "./dueBackfills.ts"
import { endedBackfills } from "./endedBackfills.ts"
import { firstEvidence } from "./firstEvidence.ts"
import { sharedEvidence } from "./sharedEvidence.ts"
import { beingSigned } from "./beingSigned.ts"
import { boundAccounts } from "./boundAccounts.ts"
import { callTurns } from "./callTurns.ts"
import { closedPeriods } from "./closedPeriods.ts"
import { commitReceipts } from "./commitReceipts.ts"
import { backing } from "./backing.ts"
import { countedRateLeases } from "./countedRateLeases.ts"
import { custody } from "./custody.ts"
import { deliveryTurns } from "./deliveryTurns.ts"
import { deposits } from "./deposits.ts"
import { derivedPhases } from "./derivedPhases.ts"
import { events } from "./events.ts"
import { earlierSpends } from "./earlierSpends.ts"
import { fleetSwitches } from "./fleetSwitches.ts"
import { fieldTerms } from "./fieldTerms.ts"
import { fiat } from "./fiat.ts"
import { fiatOrders } from "./fiatOrders.ts"
import { givenUpSweeps } from "./givenUpSweeps.ts"
import { grants } from "./grants.ts"
import { heldArrivals } from "./heldArrivals.ts"
import { keyCustody } from "./keyCustody.ts"
import { keyOwners } from "./keyOwners.ts"
import { keys } from "./keys.ts"
import { knownCurrencies } from "./knownCurrencies.ts"
import { knownNetworks } from "./knownNetworks.ts"
import { correctedOperations } from "./correctedOperations.ts"
import { knownObservations } from "./knownObservations.ts"
import { placeSights } from "./placeSights.ts"
import { ledger } from "./ledger.ts"
import type { Migration } from "./Migration.ts"
import { linesToldAgain } from "./linesToldAgain.ts"
import { assignedArrivals } from "./assignedArrivals.ts"
import { reversedArrivals } from "./reversedArrivals.ts"
import { passCredentials } from "./passCredentials.ts"
import { namedNetworks } from "./namedNetworks.ts"
import { namedRegistrations } from "./namedRegistrations.ts"
import { searchedAmounts } from "./searchedAmounts.ts"
import { searchIndexes } from "./searchIndexes.ts"
import { sealedKeys } from "./sealedKeys.ts"
import { networkLag } from "./networkLag.ts"
import { networkNotices } from "./networkNotices.ts"
import { networkSwitches } from "./networkSwitches.ts"
import { nodeRecords } from "./nodeRecords.ts"
import { notedBefore } from "./notedBefore.ts"
import { oneNode } from "./oneNode.ts"
import { openEvidence } from "./openEvidence.ts"
import { openSuspense } from "./openSuspense.ts"
import { operations } from "./operations.ts"
import { operatorLists } from "./operatorLists.ts"
import { operationTotals } from "./operationTotals.ts"
import { operatorSessions } from "./operatorSessions.ts"
import { operators } from "./operators.ts"
import { outbound } from "./outbound.ts"
import { providerCalls } from "./providerCalls.ts"
import { unprovenEvidence } from "./unprovenEvidence.ts"
import { quarantine } from "./quarantine.ts"
import { payoutLimits } from "./payoutLimits.ts"
import { rateClock } from "./rateClock.ts"
import { severalWallets } from "./severalWallets.ts"
import { suspenseTaken } from "./suspenseTaken.ts"
import { unsweptImports } from "./unsweptImports.ts"
import { splitEntries } from "./splitEntries.ts"
import { largestSweepables } from "./largestSweepables.ts"
import { loweredTenants } from "./loweredTenants.ts"
import { soleOrders } from "./soleOrders.ts"
import { rateLeases } from "./rateLeases.ts"
import { rateBatches } from "./rateBatches.ts"
import { rateWindows } from "./rateWindows.ts"
import { readableValues } from "./readableValues.ts"
import { readableYears } from "./readableYears.ts"
import { reconciliation } from "./reconciliation.ts"
import { resolutionWords } from "./resolutionWords.ts"
import { resolutions } from "./resolutions.ts"
import { settledOrders } from "./settledOrders.ts"
import { signatures } from "./signatures.ts"
import { signedRegistrations } from "./signedRegistrations.ts"
import { solvency } from "./solvency.ts"
import { statements } from "./statements.ts"
import { toldBreaks } from "./toldBreaks.ts"
import { sweeps } from "./sweeps.ts"
import { tenants } from "./tenants.ts"
import { watching } from "./watching.ts"
import { webhooks } from "./webhooks.ts"

/** All steps, in order. */
export const migrations: ReadonlyArray<Migration> = [
  tenants,
  apiKeys,
  addresses,
  deposits,
  operations,
  ledger,
  events,
  backfills,
  webhooks,
  watching,
  rateWindows,
  signatures,
  keys,
  agenda,
  custody,
  outbound,
  fiat,
  operators,
  accountSetups,
  sweeps,
  rateBatches,
  earlierSpends,
  networkSwitches,
  deliveryTurns,
  commitReceipts,
  callTurns,
  backing,
  quarantine,
  keyOwners,
  payoutLimits,
  resolutions,
  networkNotices,
  addressProofs,
  fieldTerms,
  namedNetworks,
  sealedKeys,
  grants,
  knownNetworks,
  keyCustody,
  derivedPhases,
  auditSeals,
  fleetSwitches,
  closedPeriods,
  heldArrivals,
  auditValues,
  evidenceFees,
  oneNode,
  solvency,
  reconciliation,
  searchIndexes,
  operatorSessions,
  givenUpSweeps,
  statements,
  toldBreaks,
  signedRegistrations,
  beingSigned,
  readableValues,
  operatorLists,
  operationTotals,
  attemptAge,
  searchedAmounts,
  networkLag,
  rateLeases,
  attemptEvents,
  nodeRecords,
  providerCalls,
  unprovenEvidence,
  countedRateLeases,
  resolutionWords,
  rateClock,
  unsweptImports,
  soleOrders,
  settledOrders,
  openSuspense,
  linesToldAgain,
  assignedArrivals,
  reversedArrivals,
  passCredentials,
  knownCurrencies,
  openEvidence,
  backfillTurns,
  endedBackfills,
  dueBackfills,
  fiatOrders,
  sharedEvidence,
  firstEvidence,
  readableYears,
  splitEntries,
  loweredTenants,
  boundAccounts,
  largestSweepables,
  namedRegistrations,
  suspenseTaken,
  knownObservations,
  notedBefore,
  placeSights,
  correctedOperations,
  severalWallets
]
