import { contradiction } from "../custody/contradiction.ts"
import { hearReplaced } from "../custody/hearReplaced.ts"
import type { Command } from "../engine/Command.ts"
import type { Operation } from "../operation/Operation.ts"
import { claimNamed, type CustodianWord, namedPayments } from "./namedPayment.ts"
import { paymentReads } from "./paymentOf.ts"

/** Hears what a custodian says of a withdrawal under an id that operators have replaced (`hearReplaced`). A transaction that it names carries out no other one any more. */
export const hearWithdrawalReplaced = (read: Operation, word: CustodianWord): Command<Operation | undefined> =>
  hearReplaced(read, word.answer, contradiction, {
    reads: paymentReads(namedPayments(read, word)),
    changes: (view, operation) => claimNamed(view, operation, word)
  })
