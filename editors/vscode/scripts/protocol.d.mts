export const python: string;
export function generated(): Promise<string>;
