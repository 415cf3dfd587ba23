/**
 * Terms that mean the same at work, or are so close that a ticket about one helps with the other: one group per line,
 * English only. A term of several words matches if all of them occur. A term may be in several groups. It widens a
 * search by meaning, never a list's filter.
 */
export const THESAURUS = `
laptop, notebook, macbook, thinkpad, ultrabook, chromebook
computer, laptop, pc, workstation, desktop, notebook, device, hardware
new laptop, replacement, refresh, renewal, upgrade, new hardware, eligible
monitor, screen, display, panel, lcd
second monitor, external display, extra screen, additional monitor, dual screen
dock, docking station, hub, usb-c hub, port replicator
keyboard, keys, typing
mouse, trackpad, touchpad, pointer, cursor, clicking, clicker
headset, headphones, earphones, earbuds, airpods
microphone, mic, mute, muted, hear, audio, voice, silent, sound
sound, audio, volume, speaker, speakers, noise
camera, webcam, video
projector, beamer, display, screen, picture, presentation
printer, print, printing, printout, mfp, copier, multifunction
toner, ink, cartridge
colour, color, greyscale, grayscale, black and white, monochrome
scan, scanner, scanning, digitise, digitize
paper jam, jam, jammed, stuck paper, paper feed
battery, charge, power, juice, accumulator
charger, charge, charging, power supply, adapter, mains, plugged in, power cable, plug
swollen, bulging, bulge, deforming, expanding, bloated, warped
drain, dies, runs out, lasts, empty
broken, damaged, cracked, shattered, smashed, defective, faulty, split, snapped
not working, broken, down, fails, failing, failed, dead, kaputt, malfunction, out of order, inoperative, defunct, stopped
slow, sluggish, lag, lagging, lags, delay, takes forever, crawling, performance, laggy
freeze, freezes, frozen, hangs, hanging, stuck, unresponsive, not responding, locks up
crash, crashes, crashing, quits, closes, shuts down, terminates, blue screen, bsod
restart, reboot, boot, turn on, start up, power on, switch on, starts
spill, spilt, spilled, coffee, drink, liquid, water, wet
tiny, small, microscopic, little, unreadable, scaling, zoom, resolution, blurry, letters, fonts
wifi, wi-fi, wlan, wireless, hotspot
internet, online, connectivity, connection, network, offline, web
network, lan, ethernet, connectivity, connection, internet, wifi
disconnect, disconnects, drops, dropping, cuts out, loses connection, drop, interrupted, unstable, intermittent
outage, down, no connection, lost connectivity, offline, interruption, unavailable
vpn, tunnel, remote access, globalprotect, anyconnect, work from home connection
remote, home office, work from home, working from home, wfh, telework, telecommute, homeworking
phone, mobile, cell, cellphone, smartphone, iphone, android, handset, telephone
sim, esim, data plan, tariff, contract, mobile plan, number
roaming, abroad, overseas, foreign, mobile data
call, phone, ring, dial, telephone
voicemail, answering machine, voice mail
private number, personal line, personal number, own number
email, e-mail, mail, message, outlook, gmail, messages
mailbox, inbox, quota, storage, full, exceeded, archive
receive, receiving, arriving, landing, incoming, fresh, getting
send, sending, outgoing, transmit, submit, mailing
attachment, attached file, large file, file, document
spam, junk, unwanted mail, newsletter, subscriptions, flooded, bulk mail
recall, undo, unsend, take back, retract
out of office, auto reply, automatic reply, absence note, ooo, vacation responder, autoresponder
signature, footer, sign-off
shared mailbox, group mailbox, team inbox, functional mailbox
distribution list, mailing list, group, members, recipients
calendar, schedule, appointment, meeting, diary, invitation, invite
delegate, delegation, act on behalf, assistant, secretary, deputy, substitute, stand-in, cover
meeting, conference, call, teams, zoom, webex, video call
recording, recorded, watch, replay, rewatch, past meeting
all-hands, town hall, company meeting, company-wide, assembly
teams, slack, chat, messenger, im, instant message
onedrive, cloud storage, sharepoint, dropbox, google drive, box, cloud drive
sync, synchronise, synchronize, syncing, update, refresh, uploading
shared drive, network drive, s: drive, file share, share, mapped drive, folder, server
folder, directory, files, drive
delete, deleted, erased, removed, lost, wiped, vanished, gone, disappeared, missing
restore, recover, retrieve, undelete, get back, bring back, backup, rescue
version, draft, revision, earlier, previous, older, revert, rollback
transfer, send, share, upload, hand over, exchange
video, clip, movie, film, footage, broadcast
big, huge, large, gigabyte, gb, massive, giant
spreadsheet, excel, workbook, sheet, xlsx, macro
presentation, powerpoint, slides, deck, ppt
document, word, file, docx, text
pdf, acrobat, adobe
report, dashboard, charts, power bi, tableau, analytics, graphs, chart
browser, chrome, firefox, edge, safari
bookmark, bookmarks, favourites, favorites
website, site, page, web page, intranet, portal
blocked, forbidden, denied, refused, declined, rejected, not allowed, prevented, stopped
software, program, application, app, tool, package
install, installation, setup, set up, deploy, download
licence, license, seat, subscription, activation
update, upgrade, patch, new version, latest
language, tongue, locale, english, german, french, foreign, menus
translate, translation, interpreter
operating system, windows, macos, linux
database, sql, db, query
server, host, machine, vm, instance
cloud, aws, azure, gcp, hosting
code, repository, git, repo, source, pull request, merge
bill, invoice, cost, costs, charge, charges, spend, expense
doubled, exploded, rose, increased, soared, went up, higher, tripled, jumped
password, passcode, passphrase, credentials, login, secret
forgot, forgotten, lost, cannot remember, don't remember, no longer know, reset
reset, change, renew, unlock
pin, four digits, code, digits, number
account, login, user, profile, identity
sign in, log in, login, log on, logon, sign on, authenticate, authentication, signed out, signing
sign out, log out, signed out, logged out, logs me out, kicked out, signs me out
locked, locked out, blocked, lockout, suspended, disabled, cannot get in
mfa, 2fa, two-factor, two factor, second factor, multi-factor, authenticator, confirmation, otp, verification code, login confirmations, prompts, approve
sso, single sign-on, okta, saml
permission, permissions, access, rights, authorisation, authorization, privilege, allowed, entitlement
access, entry, admission, admittance, enter, get in
admin, administrator, root, elevated, superuser
certificate, ssl, tls, cert, warning
encryption, encrypted, bitlocker, filevault
phishing, scam, fraud, fraudulent, suspicious, fake, spoof, spoofed, pretending, impersonating, impersonation, hoax, bogus, dubious
clicked, opened, entered, typed, followed
virus, malware, infected, antivirus, trojan, ransomware, worm, spyware, hacked, infection
security, hack, breach, intrusion, attack, compromised, leak
espionage, spying, competitor, recruiter, odd questions, social engineering
alert, alarm, warning, notification, notice
leak, disclosed, confidential, exposed, sent to wrong person, wrong recipient
boss, manager, supervisor, line manager, superior, lead, head, team lead
ceo, cfo, boss, chief, director, executive, management, board
colleague, coworker, co-worker, teammate, peer, staff member, somebody
employee, staff, worker, personnel, workforce, people, team member
gdpr, privacy, personal data, data protection, data subject
usb stick, flash drive, thumb drive, memory stick, pendrive, usb drive
salary, pay, wage, wages, paycheck, earnings, remuneration, compensation, income, earn
payslip, pay slip, wage statement, paystub, pay stub, salary slip, pay statement, payroll
late, delayed, behind schedule, overdue, days behind, not arrived, outstanding, past due, missed
bonus, incentive, commission, premium, thirteenth month
raise, pay rise, increment, salary increase, promotion
overtime, extra hours, additional hours, time and a half
tax, withholding, withheld, tax code, deduction, deducted, contribution
pension, retirement, superannuation, 401k, provident, old age
insurance, health insurance, cover, coverage, benefit, medical plan, policy
dental, dentist, teeth, tooth
optician, glasses, eye test, spectacles, vision, eyesight
doctor, medical, physician, health, clinic, hospital
gym, fitness, sport, fitness studio, workout, exercise
discount, rebate, reduction, membership, perk, subsidised, concession
leave, holiday, vacation, time off, pto, days off, annual leave, break, absence, away
annual leave, holiday balance, vacation days, holiday entitlement, remaining days
carry over, roll over, transfer days, unused
approve, approval, sign off, authorise, authorize, confirm, greenlight, pending
pending, waiting, unanswered, open, outstanding, not answered, still
sabbatical, unpaid leave, career break, extended leave, time out, quarter off, months off
maternity, pregnant, pregnancy, expecting, baby, expectant, birth, kid, child
paternity, father, dad, baby, new dad, birth, kid, partner leave
parental leave, maternity, paternity, baby, kid, child, adoption, newborn
childcare, nursery, kindergarten, daycare, creche, kids
sick, ill, unwell, illness, sickness, not well, flu, fever, sick leave
sick note, doctor's note, medical certificate, sick certificate, fit note
bereavement, death, funeral, passed away, died, mourning, compassionate
stress, burnout, overwhelmed, mental health, counselling, counseling, anxiety, exhausted, depressed, employee assistance, talk to someone, therapy
harassment, inappropriate, bullying, discrimination, sexual, misconduct, comments, mobbing
complaint, grievance, complain, dispute
underperforming, poor performance, low performer, performance, poor performer, weak performer
warning, disciplinary, dismissal, fire, terminate
appraisal, performance review, evaluation, feedback, annual review, goals
resign, resignation, quit, notice, leaving, notice period, hand in my notice
contract, agreement, employment contract, terms
part-time, part time, reduce hours, fewer hours, lower percentage, reduced hours, working hours, percentage, shorter week
flexible hours, flexitime, working hours, schedule, shift, rota, shifts
employment letter, employment verification, proof of employment, confirmation, certificate, letter, reference letter, statement
landlord, rent, mortgage, bank, tenant, visa, flat
reference, recommendation, testimonial
training, course, seminar, workshop, learning, education, class, certification
development, career, growth, promotion
mentor, buddy, sponsor, coach, guide, godparent
recruit, hire, hiring, recruiting, vacancy, job opening, candidate, applicant, opening
referral, refer a friend, recommend a candidate
newcomer, new joiner, new hire, new starter, newbie, new employee, recruit, recruits, starter, joiner, fresh
onboarding, first day, induction, orientation, first week, welcome, introduction, starting
offboarding, leaver, leaving, last day, exit
swag, merchandise, t-shirt, welcome pack, goodies, merch, welcome kit, gifts
background check, vetting, screening, security clearance
dragging on, taking long, takes long, slow, still waiting, delay
probation, trial period, probationary
relocation, relocate, move, moving, household, shifting, removal
visa, work permit, immigration, residence permit
address, moved house, new home, postal address
name change, married, surname, last name, marriage, wedding
bank account, bank details, iban, account number
emergency contact, next of kin, contact person
volunteer, volunteering, charity, charitable, good cause
toilet, wc, restroom, bathroom, loo, lavatory, washroom, ladies, gents, urinal
blocked, clogged, jammed, overflowing, plugged, stuck
smell, odour, odor, stink, stench, smells, disgusting, fumes
basement, downstairs, cellar, lower floor, ground floor
stairs, stairwell, steps, staircase, stairway
lift, elevator
escalator, moving stairs
light, lights, lighting, bulb, lamp, illumination, dark, fluorescent
heating, heater, radiator, cold, freezing, warm, temperature
air conditioning, aircon, ac, hot, cooling, temperature, ventilation, stuffy
window, glass, pane, blinds, shades
door, gate, entrance, entry, lock
leak, leaking, drip, dripping, water, ceiling, roof, flood, flooded
bin, bins, trash, rubbish, garbage, waste, litter, recycling, dump
overflowing, piling up, full, heap
clean, cleaning, cleaner, dirty, filthy, dusty, stain, mess, unclean, grubby, not cleaned
carpet, floor, rug
pest, mice, mouse, rats, insects, ants, cockroach, bugs, wasps, vermin
desk, table, workplace, workstation, workspace, seat
standing desk, height-adjustable, sit-stand
chair, seat, armchair, stool
back pain, spine, back hurts, posture, ergonomic, lumbar
ergonomic, hand hurts, wrist, pain, rsi, strain, hurts
furniture, shelf, cabinet, cupboard, drawer
locker, storage, cupboard, key
key, keys, lock, unlock
badge, pass, entry pass, access card, id card, key card, keycard, fob, swipe card
lost, misplaced, missing, mislaid, cannot find, can't find, gone
stolen, theft, thief, nicked, robbed, pinched, burglary, took
bike, bicycle, two-wheeler, cycle, scooter, rack
car, vehicle, automobile, company car, fleet
parking, car park, parking space, garage, parking spot
meeting room, conference room, room, boardroom, room booking, book a room
booking, reserve, reservation, book, hire
quiet room, prayer room, worship, pray, meditation, multifaith
kitchen, canteen, cafeteria, pantry, break room
coffee machine, espresso, coffee maker
dishwasher, fridge, refrigerator, microwave, kettle, oven
water dispenser, water cooler, drinking water
lunch, food, meal, catering, snacks, buffet
plants, flowers, greenery
post, mail, parcel, package, courier, delivery, shipment, dhl
visitor, guest, guests, external, reception, client visit
fire drill, evacuation, emergency exercise, fire alarm, drill, emergency exit
first aid, injury, injured, accident, hurt, wounded, cut
hazard, danger, dangerous, unsafe, safety, risk, explode
construction, noise, renovation, drilling, building work
smoking, smoke, cigarettes, vaping
stationery, pens, paper, office supplies, notepads
expense, expenses, reimbursement, reimburse, claim, refund, paid back, out of pocket, pay back
receipt, proof of purchase, voucher, slip, till receipt
per diem, daily allowance, meal allowance
mileage, kilometres, kilometers, driving own car
credit card, company card, corporate card, card, plastic, payment card
declined, refused, rejected, not accepted, bounced
cash, petty cash, withdraw, withdrawing money, atm
invoice, bill, billing, invoiced
pay, payment, paid, settle, settled, remit, remittance, transfer, settling
debt, owes, overdue, unpaid, hasn't paid, receivable, dunning, late payer
customer, client, buyer, account
supplier, vendor, contractor, provider, company we buy from, seller
register, set up, create, onboard, add
purchase order, po, order, purchase, procurement, buy, buying, ordering
budget, cost centre, cost center, spending, funds, allocation
quote, quotation, offer, estimate
vat, sales tax, tax, gst
contract, agreement, nda, non-disclosure
signature, sign, docusign, sign electronically
gift, present, hospitality, gifts, invitation
partner, business partner, client, customer, supplier
audit, auditor, auditors, compliance
month-end, closing, close, year-end, accounts
travel, trip, business trip, journey, travelling, traveling
flight, plane, fly, airline, air travel, flying
business class, better seat, upgrade, premium, long haul, first class
hotel, accommodation, lodging, room, stay
train, rail, railway, ticket
taxi, cab, uber, ride
rental car, hire car, car hire, car rental, automobile hire
car size, category, class
customs, border, us, airport
passport, id, travel document
itinerary, travel plan, schedule
rebook, rebooking, change flight, cancel, cancelled
allowance, subsidy, grant, stipend, contribution
borrow, loan, lend, temporary, temporarily, spare, short-term
order, request, need, get, want, obtain
where is, hasn't arrived, not arrived, not there, still waiting, missing
date, when, schedule, deadline, day
form, forms, paperwork, application, papers
policy, rule, rules, guideline, allowed
help, support, assistance, hotline
accessibility, disability, disabled, wheelchair
organisation chart, org chart, reporting line, hierarchy
time sheet, timesheet, time tracking, clock in, hours
shipping, warehouse, depot, storehouse, logistics
office, site, building, location, premises
external, third party, outside firm, agency, contractor, freelancer, external firm
everyone, all staff, whole company, everybody
by mistake, accidentally, by accident, wrongly, unintentionally, mistakenly
return, give back, hand back, bring back
wrong, incorrect, false, mistake, error, inaccurate
expired, expires, expiry, run out, outdated
duplicate, twice, double, two times, doubled
cancel, cancellation, stop, terminate, withdraw
extend, extension, prolong, longer
invite, add, include
increase, more, raise, higher, larger
`;
