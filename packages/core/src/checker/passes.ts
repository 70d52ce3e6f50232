import { customerAccounts, usedQuotes } from "./accountPasses.ts"
import { agendas } from "./agendaPass.ts"
import { depositFeed } from "./depositFeedPass.ts"
import { loggedDestinations, withdrawalDestinations } from "./destinationPass.ts"
import { balancesAboveZero, holds, legChains, postingsBalance } from "./ledgerPasses.ts"
import { operationLegs } from "./legPass.ts"
import { outcomes } from "./outcomePass.ts"
import { payoutsInSpends, spendTokens, walletCounters } from "./outboundPasses.ts"
import type { Pass } from "./Pass.ts"
import { claimedOperations, creditedDeposits, eventFeed, operationsOfLegs } from "./recordPasses.ts"
import { refunds } from "./refundPass.ts"
import { reservations } from "./reservationPass.ts"
import { sweepable, sweptDeposits } from "./sweepPasses.ts"
import { receivedAmounts } from "./toAmountPass.ts"
import { usageCounters } from "./usagePass.ts"

/** All passes of the checker over the rows of a tenant. */
export const passes: ReadonlyArray<Pass> = [
  postingsBalance,
  legChains,
  balancesAboveZero,
  holds,
  operationLegs,
  operationsOfLegs,
  receivedAmounts,
  reservations,
  agendas,
  eventFeed,
  depositFeed,
  outcomes,
  creditedDeposits,
  claimedOperations,
  withdrawalDestinations,
  loggedDestinations,
  usedQuotes,
  customerAccounts,
  refunds,
  payoutsInSpends,
  spendTokens,
  walletCounters,
  usageCounters,
  sweptDeposits,
  sweepable
]
