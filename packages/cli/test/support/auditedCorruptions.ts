import type { LedgerCorruption } from "./LedgerCorruption.ts"

const openWithdrawal = "kind = 'WITHDRAWAL' and status = 'PROCESSING'"

/** The event of an outcome once more, at the end of the feed. */
const oneMoreEvent = (kind: string) => `with head as (
    update tenant_head set event_id = event_id + 1 where change_seq > 0 returning tenant_id, event_id
  ), told as (
    insert into event (tenant_id, event_id, kind, resource_id, occurred_at, data)
    select head.tenant_id, head.event_id, e.kind, e.resource_id, e.occurred_at, e.data
    from head, (select * from event where kind = '${kind}' order by event_id limit 1) e
    returning resource_id
  ) select 'operation ' || resource_id from told`

/** What somebody who writes to the database would do: it leaves the sums of the ledger as they were. */
export const auditedCorruptions: ReadonlyArray<LedgerCorruption> = [
  {
    invariant: "destinations",
    what: "an open withdrawal that was redirected",
    statement: `update operation set details = jsonb_set(details::jsonb, '{destination,address}', '"0xthief"')::json
      where ${openWithdrawal} returning 'withdrawal ' || operation_id || ' goes to 0xthief'`
  },
  {
    invariant: "destinations",
    what: "an open withdrawal to a destination that was replaced before it was accepted",
    statement: `update operation set details = jsonb_set(details::jsonb, '{destination,address}',
        to_jsonb((select address from destination where currency = 'ETH' order by verified_at limit 1)))::json
      where ${openWithdrawal} returning 'withdrawal ' || operation_id || ' goes to 0x1111'`
  },
  {
    invariant: "destination-log",
    also: ["destinations"],
    what: "a verified destination that was redirected",
    statement: `update destination set address = '0xthief' where destination_id =
        (select destination_id from destination where currency = 'ETH' order by verified_at desc limit 1)
      returning 'destination ' || destination_id || ' is not what bob verified'`
  },
  {
    invariant: "destination-log",
    what: "a destination that nobody verified",
    statement: `insert into destination (tenant_id, destination_id, record_group, currency, network, address, memo, label, proposed_by,
        verified_by, verified_at, usable_from, created_at)
      select tenant_id, '00000000-0000-7000-8000-00000000000d', record_group, 'USDC_ETH', network, '0xthief', null, label,
        proposed_by, verified_by, now(), now(), now() from destination where currency = 'USDT_ETH'
      returning 'destination ' || destination_id || ' says that bob verified it, the log of operators says nobody'`
  },
  {
    invariant: "destination-log",
    what: "a rejected destination that was revived",
    statement: `update destination set rejected_at = null, rejected_reason = null where rejected_at is not null
      returning 'destination ' || destination_id || ' was rejected by an operator and stands'`
  },
  {
    invariant: "audit-chain",
    also: ["destination-log"],
    what: "a record of an operator that was changed",
    first: "alter table operator_audit disable trigger operator_audit_kept",
    statement: "update operator_audit set operator = 'mallory' where id = 2 returning 'Record 2 was changed'"
  },
  {
    invariant: "jobs",
    what: "an open withdrawal that was taken off the queue",
    statement: `delete from job where queue = 'custodian' and key = (select operation_id::text from operation where ${openWithdrawal})
      returning 'WITHDRAWAL ' || key || ', which is PROCESSING, is not in the queue custodian'`
  },
  {
    invariant: "jobs",
    what: "a payout that was taken off the queue",
    statement: `delete from job where queue = 'payout:ethereum'
      returning 'CHAIN_PAYOUT ' || key || ', which is ACCEPTED, is not in the queue payout:ethereum'`
  },
  {
    invariant: "jobs",
    what: "a signed transaction that was taken off the queue",
    statement: `delete from job where queue = 'transaction:ethereum'
      returning 'transaction ' || key || ', which is SIGNED, is not in the queue transaction:ethereum'`
  },
  {
    invariant: "jobs",
    what: "an order on the queue that is over",
    statement: `insert into job (tenant_id, queue, key, due_at)
      select tenant_id, 'custodian', operation_id::text, now() from operation where kind = 'WITHDRAWAL' and status = 'SETTLED'
      returning key || ' is in the queue custodian, where nothing of that name is open'`
  },
  {
    invariant: "reservations",
    what: "coins that are reserved for nothing",
    statement: `update asset_reservation set units = units + 1 where account = 'custodian'
      returning units || ' are reserved of custodian|ETH, what is in flight takes ' || units - 1`
  },
  {
    invariant: "reservations",
    what: "coins in flight that another could be paid with",
    statement: `delete from asset_reservation where account = 'custodian'
      returning '0 are reserved of custodian|ETH, what is in flight takes ' || units`
  },
  {
    invariant: "legs",
    also: ["to-amounts"],
    what: "a swap that says it came to more than it credited",
    statement: `update operation set to_units = to_units + 1 where kind = 'SWAP' and status = 'SETTLED'
      returning 'SWAP ' || operation_id || ', which is SETTLED: its legs on float:available in USDC_ETH as convert_in are off by 1'`
  },
  {
    invariant: "to-amounts",
    what: "an open swap that says what it came to",
    statement: `update operation set to_units = 1, to_currency = 'USDC_ETH' where kind = 'SWAP' and status = 'PROCESSING'
      returning 'SWAP ' || operation_id || ' has not settled and says what it came to'`
  },
  {
    invariant: "legs",
    what: "all that stands at the custodian moved to another account",
    statement: `with legs as (update ledger_leg set account = 'bank' where account = 'custodian' returning 1),
        balances as (update balance set account = 'bank' where account = 'custodian' returning 1)
      select ' on custodian in ' || 'ETH'`
  },
  {
    invariant: "legs",
    what: "a withdrawal that says the service has not paid for the network, which it has",
    statement: `update operation set details = (details::jsonb || '{"network_fee_borne_by":"RECEIVER"}')::json
      where kind = 'WITHDRAWAL' and status = 'SETTLED'
      returning 'WITHDRAWAL ' || operation_id || ', which is SETTLED: its legs on network_fees in ETH as network_fee are off by 1000000000000'`
  },
  {
    invariant: "legs",
    also: ["outcomes", "jobs", "reservations"],
    what: "a swap that has failed without what left the balance coming back",
    statement: `update operation set status = 'FAILED' where kind = 'SWAP' and status = 'PROCESSING'
      returning 'SWAP ' || operation_id || ', which is FAILED: its legs on exchange in ETH as return are off by -1000000000000000'`
  },
  {
    invariant: "legs",
    also: ["outcomes", "jobs", "reservations", "operations"],
    what: "a swap that has settled without what it came to",
    statement: `update operation set status = 'SETTLED', settled_at = now(), to_units = 5, to_currency = 'USDC_ETH'
      where kind = 'SWAP' and status = 'PROCESSING' returning 'SWAP ' || operation_id || ', which is SETTLED: its legs on'`
  },
  {
    invariant: "outcomes",
    what: "another amount in the event of a withdrawal",
    statement: `update event set data = (data::jsonb || '{"amount":"7"}')::json where kind = 'withdrawal.settled'
      returning 'event ' || event_id || ' tells of operation ' || resource_id || ' with 7'`
  },
  {
    invariant: "outcomes",
    what: "another amount in the event of a credit",
    statement: `update event set data = (data::jsonb || '{"amount":"7"}')::json where event_id =
        (select min(event_id) from event where kind = 'deposit.settled') returning 'event ' || event_id || ' tells of 7 ETH'`
  },
  {
    invariant: "deposit-feed",
    what: "another amount in the first event of a deposit",
    statement: `update event set data = (data::jsonb || '{"amount":"2","amount_units":"2000000000000000000"}')::json where event_id = 1
      returning 'tells another amount_units of deposit ' || resource_id`
  },
  {
    invariant: "outcomes",
    also: ["event-feed"],
    what: "an outcome that was told twice",
    statement: oneMoreEvent("withdrawal.settled")
  },
  {
    invariant: "outcomes",
    also: ["event-feed"],
    what: "an outcome that was told after the contrary",
    statement: `with head as (update tenant_head set event_id = event_id + 1 where change_seq > 0 returning tenant_id, event_id), told as (
        insert into event (tenant_id, event_id, kind, resource_id, occurred_at, data)
        select head.tenant_id, head.event_id, 'withdrawal.failed', e.resource_id, e.occurred_at,
          (e.data::jsonb || '{"status":"FAILED"}')::json
        from head, (select * from event where kind = 'withdrawal.settled') e returning resource_id)
      select 'operation ' || resource_id || ' has not failed, one event withdrawal.failed tells of it' from told`
  },
  ...["WITHDRAWAL", "PAYOUT", "PAYOUT_NEW_RECEIVER", "ADJUSTMENT"].map((scope) => ({
    invariant: "usage",
    what: `all that was used of ${scope} deleted`,
    statement: `delete from limit_usage where scope = '${scope}' returning 'usage ${scope} misses'`
  })),
  {
    invariant: "balances",
    also: ["leg-chains"],
    what: "a place with less than nothing",
    statement: `update balance set units = -1 where account = 'custodian' and currency = 'ETH' returning 'balance custodian ETH is -1'`
  },
  {
    invariant: "payouts",
    what: "an order that pays somebody else than was asked for",
    statement: `update payout set paid_to = '0xthief' where transaction_id is null and operation_id in
        (select operation_id from operation where status = 'ACCEPTED') returning 'payout ' || operation_id || ' goes to 0xthief'`
  },
  {
    invariant: "rows",
    also: ["usage"],
    what: "a row that is no longer what it has to be",
    statement: `update limit_usage set buckets = '"many"' where scope = 'WITHDRAWAL' returning 'limit_usage WITHDRAWAL cannot be read'`
  },
  {
    invariant: "usage",
    what: "an operation that counts for no number",
    statement: `update operation set details = (details::jsonb || '{"usd_cents":"many"}')::json where ${openWithdrawal}
      returning 'the row of ' || operation_id || ' makes no sense'`
  }
]
