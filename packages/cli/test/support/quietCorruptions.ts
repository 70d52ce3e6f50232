import type { LedgerCorruption } from "./LedgerCorruption.ts"

/** What breaks no sum, and would tell partners, accountants or reviewers something that did not happen. */
export const quietCorruptions: ReadonlyArray<LedgerCorruption> = [
  {
    invariant: "postings",
    what: "a leg that counts in another month than its posting",
    statement: `update ledger_leg set posted_at = posted_at - interval '40 days' where posting_seq = 2 and ordinal = 1
      returning 'leg 2/1 of operation ' || operation_id || ' was posted at'`
  },
  {
    invariant: "postings",
    what: "a posting that was made after everything else",
    statement: `with late as (update ledger_leg set posted_at = now() + interval '40 days'
        where posting_seq = (select max(posting_seq) from ledger_leg) returning posting_seq, ordinal, operation_id)
      select 'leg ' || posting_seq || '/' || ordinal || ' of operation ' || operation_id from late where ordinal = 0`
  },
  {
    invariant: "postings",
    what: "a posting whose lines are not counted from the first",
    statement: `with moved as (update ledger_leg set ordinal = ordinal + 7 where posting_seq = 3 returning posting_seq, ordinal, operation_id)
      select 'leg ' || posting_seq || '/' || ordinal || ' of operation ' || operation_id || ' is not the next of posting 3'
        from moved where ordinal = 7`
  },
  {
    invariant: "operations",
    also: ["outcomes"],
    what: "a withdrawal that settled in another month",
    statement: `update operation set settled_at = settled_at - interval '40 days' where kind = 'WITHDRAWAL' and status = 'SETTLED'
      returning 'operation ' || operation_id || ' settled at'`
  },
  {
    invariant: "operations",
    what: "an adjustment that settled in another month",
    statement: `update operation set settled_at = settled_at - interval '40 days' where kind = 'ADJUSTMENT' and units < 0
      returning 'operation ' || operation_id || ' settled at'`
  },
  {
    invariant: "operations",
    what: "a reversal that came back",
    statement: `update operation set status = 'RETURNED' where kind = 'REVERSAL' returning 'operation ' || operation_id || ' settled at'`
  },
  {
    invariant: "outcomes",
    also: ["event-feed"],
    what: "an event that tells of a settlement in another month",
    statement: `update event set occurred_at = occurred_at - interval '40 days' where kind = 'withdrawal.settled'
      returning 'event ' || event_id || ' tells of operation ' || resource_id || ' at'`
  },
  {
    invariant: "outcomes",
    also: ["event-feed"],
    what: "an event that tells of a credit in another month",
    statement: `update event set occurred_at = occurred_at - interval '40 days' where event_id =
        (select min(event_id) from event where kind = 'deposit.settled')
      returning 'event ' || event_id || ' tells of operation ' || resource_id || ' at'`
  },
  {
    invariant: "fees",
    what: "a deposit that tells of a fee",
    statement: `with chosen as (select operation_id from operation where kind = 'DEPOSIT' limit 1)
      update operation o set fee_units = 5 from chosen c where o.operation_id = c.operation_id
      returning 'DEPOSIT ' || o.operation_id || ' tells of a fee of 5, which it cannot have'`
  },
  {
    invariant: "fees",
    what: "a fee in another currency than was charged",
    statement: `update operation set fee_currency = 'BTC' where kind = 'SWAP' and status = 'SETTLED'
      returning 'SWAP ' || operation_id || ' tells of a fee of ' || fee_units || ' BTC, it is in ETH'`
  },
  {
    invariant: "fees",
    what: "a swap that tells what a network took",
    statement: `update operation set network_fee_units = 5, network_fee_currency = 'ETH' where kind = 'SWAP' and status = 'SETTLED'
      returning 'SWAP ' || operation_id || ' tells of what a network took'`
  },
  {
    invariant: "fees",
    also: ["legs"],
    what: "a withdrawal that tells of less than nothing that a network took",
    statement: `update operation set network_fee_units = -5 where kind = 'WITHDRAWAL' and status = 'SETTLED'
      returning 'WITHDRAWAL ' || operation_id || ' tells of less than nothing'`
  },
  {
    invariant: "credited-deposits",
    also: ["outcomes"],
    what: "a credit that tells of another transaction than its deposit",
    statement: `update operation set tx_hash = '0xother' where operation_id = (select credited_by from deposit where tx_hash = 'credited')
      returning 'operation ' || operation_id || ' tells of 0xother on ethereum'`
  },
  {
    invariant: "assigned-arrivals",
    what: "an arrival that nobody is said to have been given",
    statement: `update operation set details = (details::jsonb - 'assigned')::json where details::jsonb -> 'assigned' is not null
      returning 'assigns operation ' || operation_id || ', which does not say so'`
  },
  {
    invariant: "assigned-arrivals",
    what: "an adjustment that assigns nothing any more",
    statement: `with freed as (update operation set details = (details::jsonb - 'assigns')::json where details::jsonb -> 'assigns' is not null
        returning operation_id)
      select 'operation ' || operation_id || ' does not assign operation' from freed`
  },
  {
    invariant: "deposit-feed",
    what: "the first event of a deposit that tells of another transaction",
    statement: `update event set data = (data::jsonb || '{"tx_hash":"0xother"}')::json where event_id = 1
      returning 'tells another tx_hash of deposit ' || resource_id`
  },
  {
    invariant: "payouts",
    also: ["jobs"],
    what: "a payout on another network than its operation",
    statement: `update payout set network = 'base' where transaction_id is null returning 'payout ' || operation_id || ' moves coin on base'`
  },
  {
    invariant: "payouts",
    what: "a payout of another asset than its currency is",
    statement: `update payout set contract = '0x00000000000000000000000000000000000000aa' where transaction_id is null
      returning 'payout ' || operation_id || ' moves 0x00000000000000000000000000000000000000aa on ethereum, its operation is of ETH'`
  },
  {
    invariant: "to-amounts",
    also: ["legs"],
    what: "a swap whose received amount is no number",
    statement: `update operation set details = (details::jsonb || '{"received":"12x"}')::json where kind = 'SWAP' and status = 'SETTLED'
      returning 'the row of ' || operation_id || ' makes no sense: 12x is no amount in base units'`
  },
  {
    invariant: "event-feed",
    what: "an event that occurs in the future",
    statement: `update event set occurred_at = now() + interval '40 days' where event_id = (select max(event_id) from event)
      returning 'event ' || event_id || ' occurred at'`
  },
  {
    invariant: "outcomes",
    what: "a credit that partners were told of with another transaction",
    statement: `update event set data = (data::jsonb || '{"tx_hash":"0xother"}')::json where event_id =
        (select min(event_id) from event where kind = 'deposit.settled')
      returning 'event ' || event_id || ' tells of 0xother on ethereum where operation ' || resource_id`
  },
  {
    invariant: "transactions",
    what: "an attempt on another network than its transaction",
    statement: `update transaction_attempt set network = 'base' where hash = '0xpaid' returning 'attempt 0xpaid is on base, its transaction'`
  },
  {
    invariant: "wallets",
    what: "a wallet on another network than what it pays",
    statement: `update payout_wallet set network = 'base' returning 'wallet ' || wallet_id || ' is on base, its transaction'`
  },
  {
    invariant: "wallets",
    what: "a wallet that is gone",
    statement: `delete from payout_wallet returning 'names wallet ' || wallet_id || ', which does not exist'`
  },
  {
    invariant: "sweeps",
    what: "a sweep from another address than its deposits came to",
    statement: `update sweep set address = '0x00000000000000000000000000000000000000aa'
      returning ' from 0x00000000000000000000000000000000000000aa on ethereum, its deposits are not there'`
  },
  {
    invariant: "sweepable",
    what: "a deposit that would be swept from another address than it came to",
    statement: `update sweepable_deposit set address = '0x00000000000000000000000000000000000000aa' where sweep_id is null
      returning 'what is swept of it is on 0x00000000000000000000000000000000000000aa'`
  }
]
