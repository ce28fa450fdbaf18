export function settings(): { properties: Record<string, unknown>; restricted: string[] };
