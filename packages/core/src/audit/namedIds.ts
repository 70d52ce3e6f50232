import type { OperatorAction } from "./AuditRecord.ts"

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu

/** Parameters of an action with ids in lower case, as the records that they name have them: a path may have them in capitals. */
export const namedIds = (params: OperatorAction["params"]): OperatorAction["params"] =>
  Object.fromEntries(
    Object.entries(params).map(([param, value]) => [param, uuid.test(value) ? value.toLowerCase() : value])
  )
