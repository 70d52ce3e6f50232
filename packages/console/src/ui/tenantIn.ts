/** The tenant that an address names, by its id or short name: the first where it names none, and undefined where it names one that is not there. */
export const tenantIn = <Tenant extends { readonly id: string; readonly slug: string }>(
  all: ReadonlyArray<Tenant>,
  named: string | null
): Tenant | undefined => (named === null ? all[0] : all.find(({ id, slug }) => id === named || slug === named))
