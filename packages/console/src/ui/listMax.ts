import { listLimits } from "@bursar/api/wire/QueryParameters"

/** As many as the service gives of a list at once. */
export const listMax = listLimits.operatorLists.maximum

/** Whether there can be more than what was read: as many came as were asked for. */
export const mayBeCut = (count: number, most: number = listMax): boolean => count >= most
