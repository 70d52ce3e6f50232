import type { LedgerCorruption } from "./LedgerCorruption.ts"

/** What breaks the books of a tenant that has customers. */
export const fiatCorruptions: ReadonlyArray<LedgerCorruption> = [
  {
    invariant: "accounts",
    what: "a payment that could be booked again",
    statement: `delete from booked_incoming
      returning 'operation ' || operation_id || ' books payment ' || payment_key || ', which is not marked as booked'`
  },
  {
    invariant: "accounts",
    what: "a mark that is of another payment",
    statement: `update booked_incoming set payment_key = payment_key || '-other'
      returning 'payment ' || payment_key || ' is booked by operation ' || operation_id`
  },
  {
    invariant: "accounts",
    also: ["legs", "jobs"],
    what: "an account that is gone",
    statement: `delete from fiat_account returning 'is of account ' || account_id || ', which does not exist'`
  },
  {
    invariant: "accounts",
    also: ["legs"],
    what: "an account in another currency than came to it",
    statement: `update fiat_account set currency = 'GBP' returning 'brings 0 to account ' || account_id || ', its legs bring'`
  },
  {
    invariant: "accounts",
    also: ["legs"],
    what: "a line on an account that its operation is not of",
    statement: `update operation set details = '{"account_id":"another","quote_id":null}' where kind = 'INTERNAL_TRANSFER'
      returning 'of operation ' || operation_id || ' moves account:'`
  },
  {
    invariant: "quotes",
    what: "a used quote that could be used again",
    statement: `update quote set used_by = null where used_by is not null
      returning 'quote ' || quote_id || ' says that operation null used it'`
  },
  {
    invariant: "quotes",
    what: "a used quote that is gone",
    statement: `delete from quote where used_by is not null
      returning 'operation ' || used_by || ' uses quote ' || quote_id || ', which does not exist'`
  },
  {
    invariant: "quotes",
    what: "a quote of another price than was charged",
    statement: `update quote set fee_units = fee_units + 1 where used_by is not null
      returning 'operation ' || used_by || ' was not made at the price of quote ' || quote_id`
  },
  {
    invariant: "quotes",
    what: "a quote that promised less than the operation says",
    statement: `update quote set floor_units = floor_units - 1 where used_by is not null
      returning 'operation ' || used_by || ' was not made at the price of quote ' || quote_id`
  },
  {
    invariant: "refunds",
    what: "an ON_RAMP that counts a refund that was not paid",
    statement: `update operation set details = (details::jsonb || '{"refunded":"1"}')::json where details->>'refunded' is not null
      returning 'ON_RAMP ' || operation_id || ' counts 1 as refunded, its refunds take 0'`
  },
  {
    invariant: "refunds",
    what: "a refund of what never came in",
    statement: `update operation set details = (details::jsonb || '{"refund_of":"nothing"}')::json where kind = 'REFUND'
      returning 'refund ' || operation_id || ' pays back operation nothing, which is no ON_RAMP'`
  },
  {
    invariant: "legs",
    what: "an ON_RAMP that credited more than it says",
    statement: `update operation set to_units = to_units - 1 where kind = 'ON_RAMP' and status = 'SETTLED'
      returning 'ON_RAMP ' || operation_id || ', which is SETTLED: its legs on float:available in EUR'`
  },
  {
    invariant: "legs",
    also: ["to-amounts", "outcomes"],
    what: "a transfer that came back as if it had never settled",
    statement: `update operation set settled_at = null where kind = 'BANK_TRANSFER' and status = 'RETURNED'
      returning 'BANK_TRANSFER ' || operation_id || ', which is RETURNED: its legs on float:held in EUR as release'`
  },
  {
    invariant: "holds",
    also: ["legs", "reservations"],
    what: "a transfer under way that holds another amount",
    statement: `update operation set units = units + 1 where kind = 'OFF_RAMP' and status = 'SENT'
      returning 'float:held EUR is 10100 where open operations hold 10101'`
  },
  {
    invariant: "outcomes",
    what: "a return that nobody was told of",
    // it had failed and counts in no limit, which a return would
    statement: `update operation set status = 'RETURNED', details = (details::jsonb - 'usd_cents')::json where kind = 'REFUND'
      returning 'operation ' || operation_id || ' has not failed, one event payout.failed tells of it'`
  },
  {
    invariant: "outcomes",
    what: "another amount in the event of a return",
    statement: `update event set data = (data::jsonb || '{"amount":"99.99"}')::json where kind = 'payout.returned'
      returning 'of operation ' || resource_id || ' 10000 came back, one event payout.returned tell of 9999'`
  },
  {
    invariant: "to-amounts",
    what: "a transfer that says its receiver got more",
    statement: `update operation set to_units = to_units + 1 where kind = 'BANK_TRANSFER' and status = 'SETTLED'
      returning 'BANK_TRANSFER ' || operation_id || ' came to ' || to_units`
  },
  {
    invariant: "jobs",
    what: "a transfer that was taken off the queue",
    statement: `delete from job where queue = 'transfer' and key =
        (select operation_id::text from operation where kind = 'OFF_RAMP' and status = 'SENT')
      returning 'OFF_RAMP ' || key || ', which is SENT, is not in the queue transfer'`
  }
]
