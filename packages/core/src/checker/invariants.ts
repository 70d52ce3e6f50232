import { customerAccounts, usedQuotes } from "./accountInvariants.ts"
import { jobQueue } from "./jobInvariant.ts"
import { assignedArrivals } from "./assignmentInvariant.ts"
import { depositFeed } from "./depositFeedInvariant.ts"
import { loggedDestinations, withdrawalDestinations } from "./destinationInvariant.ts"
import { fees } from "./feeInvariant.ts"
import { balancesAboveZero, holds, legChains, postingMoments, postingsBalance } from "./ledgerInvariants.ts"
import { operationLegs } from "./legInvariant.ts"
import { outcomes } from "./outcomeInvariant.ts"
import { payoutsInTransactions, transactionGuards, walletCounters } from "./transactionInvariants.ts"
import type { Invariant } from "./Invariant.ts"
import { recordedOperations, creditedDeposits, eventFeed, operationsOfLegs } from "./recordInvariants.ts"
import { refunds } from "./refundInvariant.ts"
import { reservations } from "./reservationInvariant.ts"
import { importedCoins, sweepable, sweptDeposits } from "./sweepInvariants.ts"
import { receivedAmounts } from "./toAmountInvariant.ts"
import { usageCounters } from "./usageInvariant.ts"

/** All passes of the checker over the rows of a tenant. */
export const invariants: ReadonlyArray<Invariant> = [
  postingsBalance,
  postingMoments,
  legChains,
  balancesAboveZero,
  holds,
  operationLegs,
  fees,
  operationsOfLegs,
  receivedAmounts,
  reservations,
  jobQueue,
  eventFeed,
  depositFeed,
  outcomes,
  creditedDeposits,
  recordedOperations,
  withdrawalDestinations,
  loggedDestinations,
  usedQuotes,
  customerAccounts,
  refunds,
  payoutsInTransactions,
  transactionGuards,
  walletCounters,
  usageCounters,
  sweptDeposits,
  sweepable,
  importedCoins,
  assignedArrivals
]
