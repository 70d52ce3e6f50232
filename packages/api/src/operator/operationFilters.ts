import { Schema } from "effect"
import { QueryFlag } from "../wire/QueryParameters.ts"
import { CodeText, CurrencyText, NetworkText, text } from "../wire/Text.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { Uuid } from "../wire/Uuid.ts"

/** What operations are asked for by, in lists and in files. */
export const operationFilters = {
  tenant_id: Schema.optionalKey(Uuid),
  kind: Schema.optionalKey(CodeText),
  status: Schema.optionalKey(CodeText),
  unresolved: Schema.optionalKey(QueryFlag),
  contradicted: Schema.optionalKey(Schema.Literals(["true"])).annotate({
    description:
      "Only those of which something else than what is booked was said once they were over, until operators have closed that."
  }),
  waiting_reason: Schema.optionalKey(CodeText),
  provider: Schema.optionalKey(text(64)),
  network: Schema.optionalKey(NetworkText),
  currency: Schema.optionalKey(CurrencyText),
  tx_hash: Schema.optionalKey(text(128)),
  created_after: Schema.optionalKey(Timestamp),
  created_before: Schema.optionalKey(Timestamp),
  order: Schema.optionalKey(Schema.Literals(["newest", "oldest"]))
}
