// Tables drawn by rules after the public descriptions of known ones: their columns, the kinds of these, and their dependencies. No rule is one of the compared models.

const pick = (random, entries) => {
  let left = random.uniform() * Object.values(entries).reduce((sum, weight) => sum + weight, 0);
  return Object.keys(entries).find((name) => {
    left -= entries[name];
    return left < 0;
  });
};
const clamp = (x, low, high) => Math.min(high, Math.max(low, x));
const logistic = (x) => 1 / (1 + Math.exp(-x));
const yes = (random, p) => Number(random.uniform() < p);
const count = (random, mean) => {
  let [k, left] = [0, Math.exp(-mean)];
  for (let u = random.uniform(); u > left && k < 10_000; ) {
    u -= left;
    left *= mean / ++k;
  }
  return k;
};
const csv = (rows) => [Object.keys(rows[0]), ...rows.map(Object.values)].map((row) => row.join(',')).join('\n');
const draw = (rows, row) => (random) => csv(Array.from({ length: rows }, () => row(random)));

export const DRAWN_TABLES = {
  /** Adults of a census: age, grade of education, hours, kind of work, marriage, sex, and whether the income is high (UCI: Adult). */
  adults: draw(200, (random) => {
    const age = Math.round(clamp(38 + 13 * random.normal(), 17, 85));
    const education = Math.round(clamp(5 + 2 * random.normal() + (age < 20 ? -2 : 0), 1, 9));
    const sex = pick(random, { female: 1, male: 2 });
    const married = pick(random, age < 27 ? { never: 8, married: 2 } : { never: 2, married: 5, divorced: 2 });
    const work = pick(
      random,
      education > 6 ? { office: 6, service: 1, manual: 1 } : { office: 2, service: 3, manual: 5 },
    );
    const hours = Math.round(clamp((sex === 'male' ? 43 : 37) + 9 * random.normal(), 5, 90));
    const high = yes(random, logistic(-4.5 + 0.45 * education + (married === 'married' ? 2 : 0) + 0.03 * (hours - 40)));
    const wage = (6 * Math.exp(0.13 * education + 0.5 * high + 0.35 * random.normal())).toFixed(2);
    return { age, education, hours, wage, sex, married, work, high };
  }),
  /** Customers of a telephone company: months, contract, internet, charges, calls to support, and whether they left (IBM: Telco churn). */
  customers: draw(200, (random) => {
    const contract = pick(random, { month: 5, year: 2, two: 2 });
    const months = Math.ceil(clamp({ month: 18, year: 40, two: 56 }[contract] * (0.3 + 1.2 * random.uniform()), 1, 72));
    const internet = pick(random, { fiber: 4, dsl: 4, none: 2 });
    const monthly = { fiber: 90, dsl: 58, none: 20 }[internet] + 8 * random.normal();
    const paperless = yes(random, internet === 'none' ? 0.3 : 0.7);
    const left = yes(
      random,
      logistic(-1 + (contract === 'month' ? 1.6 : -1) + (internet === 'fiber' ? 0.9 : 0) - 0.04 * months),
    );
    const calls = count(random, 0.5 + 2 * left + (internet === 'fiber' ? 1 : 0));
    const total = (monthly * months * Math.exp(0.05 * random.normal())).toFixed(1);
    return { months, monthly: monthly.toFixed(2), total, calls, contract, internet, paperless, left };
  }),
  /** Credits: months, amount, age, purpose, housing, grade of savings, installment as a share of income, and default (UCI: German credit). */
  credits: draw(200, (random) => {
    const purpose = pick(random, { car: 4, furniture: 3, radio: 3, business: 1 });
    const age = Math.round(clamp(24 + 22 * random.uniform() ** 1.5 + 5 * random.normal(), 19, 75));
    const housing = pick(random, age < 28 ? { rent: 5, own: 4 } : { rent: 1, own: 6, free: 2 });
    const months =
      6 *
      Math.ceil(
        clamp({ car: 4, furniture: 3, radio: 2.5, business: 5 }[purpose] * Math.exp(0.4 * random.normal()), 1, 10),
      );
    const amount = Math.round(130 * months * Math.exp(0.45 * random.normal() + (purpose === 'car' ? 0.3 : 0)));
    const savings = Math.round(clamp(2.5 + (age - 35) / 12 + 1.1 * random.normal(), 1, 5));
    const share = logistic(-1.5 + 0.5 * Math.log(amount / 2000) + 0.4 * random.normal()).toFixed(3);
    const bad = yes(random, logistic(-1.2 + 0.05 * (months - 20) - 0.5 * (savings - 2.5)));
    return { months, amount, age, share, savings, purpose, housing, bad };
  }),
  /** Patients with chest pain: age, sex, kind of pain, pressure, cholesterol, greatest heart rate, vessels, and disease (UCI: Heart disease). */
  patients: draw(200, (random) => {
    const age = Math.round(clamp(54 + 9 * random.normal(), 29, 77));
    const male = yes(random, 0.68);
    const disease = yes(random, logistic(-0.6 + 0.06 * (age - 54) + 1.1 * (male - 0.68)));
    const pain = pick(random, disease ? { none: 7, angina: 1, other: 2 } : { none: 3, angina: 3, other: 4 });
    const pressure = Math.round(112 + 0.35 * age + 15 * random.normal());
    const cholesterol = Math.round(246 * Math.exp(0.18 * random.normal()));
    const rate = Math.round(clamp(208 - 0.9 * age - 18 * disease + 15 * random.normal(), 80, 205));
    const vessels = Math.min(3, count(random, disease ? 1.3 : 0.2 + 0.01 * (age - 50)));
    const slope = (Math.max(0.1, disease + 0.4) * Math.exp(0.7 * random.normal())).toFixed(2);
    return { age, pressure, cholesterol, rate, slope, vessels, pain, male, disease };
  }),
  /** Days of a bicycle hire: season, weather, temperature, humidity as a share, wind, and hires by guests and by members (UCI: Bike sharing). */
  bicycles: draw(200, (random) => {
    const day = 365 * random.uniform();
    const season = ['winter', 'spring', 'summer', 'autumn'][Math.floor(day / 91.25) % 4];
    const workday = yes(random, 5 / 7);
    const temperature = 12 - 11 * Math.cos((2 * Math.PI * (day - 25)) / 365) + 3 * random.normal();
    const weather = pick(random, { clear: 6, clouds: 3, rain: 1 });
    const humidity = logistic({ clear: 0, clouds: 0.7, rain: 1.8 }[weather] + 0.45 * random.normal());
    const wind = 12 * Math.exp(0.4 * random.normal()) * (weather === 'rain' ? 1.3 : 1);
    const ride =
      Math.exp(-((temperature - 24) ** 2) / 350 - (weather === 'rain' ? 1 : 0)) * Math.exp(0.15 * random.normal());
    const guests = count(random, (workday ? 6 : 16) * ride);
    const members = count(random, (workday ? 55 : 38) * ride);
    return {
      ...{ temperature: temperature.toFixed(1), humidity: humidity.toFixed(3), wind: wind.toFixed(1) },
      ...{ guests, members, season, weather, workday },
    };
  }),
};
