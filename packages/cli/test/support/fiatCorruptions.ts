/** A change to one row that breaks one rule; its statement returns how the finding must name the row. */
export interface FiatCorruption {
  readonly pass: string
  readonly what: string
  readonly statement: string
}

/** What breaks the books of a tenant that has customers. */
export const fiatCorruptions: ReadonlyArray<FiatCorruption> = [
  {
    pass: "accounts",
    what: "a payment that could be booked again",
    statement: `delete from booked_incoming
      returning 'operation ' || operation_id || ' books payment ' || payment_key || ', which is not marked as booked'`
  },
  {
    pass: "accounts",
    what: "a mark that is of another payment",
    statement: `update booked_incoming set payment_key = payment_key || '-other'
      returning 'payment ' || payment_key || ' is booked by operation ' || operation_id`
  },
  {
    pass: "accounts",
    what: "an account that is gone",
    statement: `delete from fiat_account returning 'is of account ' || account_id || ', which does not exist'`
  },
  {
    pass: "accounts",
    what: "an account in another currency than came to it",
    statement: `update fiat_account set currency = 'GBP' returning 'brings 0 to account ' || account_id || ', its legs bring'`
  },
  {
    pass: "accounts",
    what: "a line on an account that its operation is not of",
    statement: `update operation set details = '{"account_id":"another","quote_id":null}' where kind = 'INTERNAL_TRANSFER'
      returning 'of operation ' || operation_id || ' moves account:'`
  },
  {
    pass: "quotes",
    what: "a used quote that could be used again",
    statement: `update quote set used_by = null where used_by is not null
      returning 'quote ' || quote_id || ' says that operation null used it'`
  },
  {
    pass: "quotes",
    what: "a used quote that is gone",
    statement: `delete from quote where used_by is not null
      returning 'operation ' || used_by || ' uses quote ' || quote_id || ', which does not exist'`
  },
  {
    pass: "quotes",
    what: "a quote of another price than was charged",
    statement: `update quote set fee_units = fee_units + 1 where used_by is not null
      returning 'operation ' || used_by || ' was not made at the price of quote ' || quote_id`
  },
  {
    pass: "amounts",
    what: "an ON_RAMP that credited more than it says",
    statement: `update operation set to_units = to_units - 1 where kind = 'ON_RAMP' and status = 'SETTLED'
      returning 'ON_RAMP ' || operation_id || ' is to move ' || to_units - fee_units`
  },
  {
    pass: "amounts",
    what: "a transfer that came back as if it had never settled",
    statement: `update operation set settled_at = null where kind = 'BANK_TRANSFER' and status = 'RETURNED'
      returning 'BANK_TRANSFER ' || operation_id || ' is to move 0 of EUR on the float'`
  },
  {
    pass: "holds",
    what: "a transfer under way that holds another amount",
    statement: `update operation set units = units + 1 where kind = 'OFF_RAMP' and status = 'SENT'
      returning 'float:held EUR is 10100 where open operations hold 10101'`
  },
  {
    pass: "outcomes",
    what: "a return that nobody was told of",
    statement: `update operation set status = 'RETURNED' where kind = 'REFUND'
      returning 'operation ' || operation_id || ' is over but no event payout.returned tells of it'`
  }
]
