import * as v from 'valibot';

/** The settings of the authors' own programs, where the defaults differ from them. */
export type Preset = 'lawrence2012';

export const presetOption = v.optional(v.picklist(['lawrence2012'], "'lawrence2012'"));
